"""Pages and replies of models that mean harm, as data; `stage.py` plays them, and `test_attacks.py` judges."""
