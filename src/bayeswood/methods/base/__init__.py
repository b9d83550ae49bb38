"""What all methods are built from; nothing here knows any of them.

- `forest_estimator`: fit, importances, files; `estimator`: what can be asked of classifiers and
  of regressors.
- `training_data`: the table, response and weights of a fit. `grown_forest`: what growing ends in.
- `parameters`: constraints and their error. `saved_state`: checked reading of a model file.
- `class_weight`: weights of whole classes. `single_tree`, `decision_path`: trees one by one.
- `sklearn_callbacks`: scikit-learn's callback protocol.
"""
