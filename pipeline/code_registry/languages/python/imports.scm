; `@module` is imported from, `@name` taken out of it, `@local` what it is called here, `@all` stands for everything.

(import_statement name: (dotted_name) @module)
(import_statement name: (aliased_import name: (_) @module alias: (_) @local))
(import_from_statement module_name: (_) @module name: (dotted_name) @name)
(import_from_statement
  module_name: (_) @module
  name: (aliased_import name: (_) @name alias: (_) @local))
(import_from_statement module_name: (_) @module (wildcard_import) @all)
