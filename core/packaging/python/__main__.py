"""python -m kernelbatch: the command."""
from kernelbatch import main

main()
