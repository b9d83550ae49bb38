"""Growing weighted CART trees, for the methods that differ in how rows are weighted.

- `cart_forest`: the base of such estimators. `grow_cart`: from a plan to the native grower.
- `growth_rules`: what a tree may have to keep besides the limits of its leaves.
- `out_of_bag`: predicting rows by the trees that did without them; `out_of_bag_score`: estimators
  that score themselves so.
- `drawn_rows`: which rows trees draw; `warm_start`: growing a forest further; `joint_labels`:
  several columns of classes.
"""
