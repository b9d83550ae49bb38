"""What forests say of their uncertainty, where the truth is known."""
