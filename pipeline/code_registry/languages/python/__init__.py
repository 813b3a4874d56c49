"""Python: facts by tree-sitter, imports by source roots, web frameworks one file each."""
