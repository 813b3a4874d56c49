"""Go: facts by tree-sitter, packages by go.mod, web frameworks one file each."""
