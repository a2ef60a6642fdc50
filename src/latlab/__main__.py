"""`python -m latlab`."""

from latlab.cli.app import main

main()
