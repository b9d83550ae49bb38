"""Lets ``python -m bayeswood`` run the command."""

from bayeswood.cli import main

main()
