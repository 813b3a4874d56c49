; `@module` is imported, and called `@local` here where it is not called by its own name.

(import_spec name: (_)? @local path: (_) @module)
