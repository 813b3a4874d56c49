; `@name` is taken out of a module and called `@local` here, `@default` is its one value, `@whole` the module itself.

(import_clause (identifier) @default)
(import_require_clause (identifier) @default)
(namespace_import (identifier) @whole)
(namespace_export (_) @whole)
(import_specifier name: (_) @name !alias)
(import_specifier name: (_) @name alias: (_) @local)
(export_specifier name: (_) @name !alias)
(export_specifier name: (_) @name alias: (_) @local)
