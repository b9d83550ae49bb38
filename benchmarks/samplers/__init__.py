"""How fast and how exact samplers of trees are."""
