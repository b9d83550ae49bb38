"""The libraries beside ours, one function each."""
