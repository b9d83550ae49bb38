"""Lets ``python -m bayeswood.cli`` run the command."""

from bayeswood.cli import main

main()
