"""TypeScript and JavaScript: facts by tree-sitter, imports by tsconfig and packages, web frameworks one file each."""
