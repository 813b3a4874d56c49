; The captures are explained in extractor.py.

[
  (class_declaration name: (_) @name)
  (record_declaration name: (_) @name)
  (enum_declaration name: (_) @name)
  (interface_declaration name: (_) @name)
  (annotation_type_declaration name: (_) @name)
] @class
(class_declaration superclass: (superclass (_) @base)) @heir
(class_declaration interfaces: (super_interfaces (type_list (_) @base))) @heir
(interface_declaration (extends_interfaces (type_list (_) @base))) @heir

(method_declaration type: (_) @returns name: (_) @name) @function
(constructor_declaration) @constructor
(compact_constructor_declaration) @constructor

(method_declaration
  (modifiers [(marker_annotation name: (_) @mark) (annotation name: (_) @mark)])
  (#match? @mark "(Test|Property|TestFactory)$")) @test

(formal_parameter type: (_) @type name: (_) @name) @parameter
(record_declaration parameters: (formal_parameters (formal_parameter type: (_) @type name: (_) @name) @field))
(field_declaration type: (_) @type declarator: (variable_declarator name: (_) @name)) @field
(local_variable_declaration type: (_) @type declarator: (variable_declarator name: (_) @name)) @variable
(enhanced_for_statement type: (_) @type name: (_) @name) @variable
(resource type: (_) @type name: (_) @name) @variable
(local_variable_declaration
  type: (type_identifier) @var
  declarator: (variable_declarator name: (_) @name value: (object_creation_expression type: (_) @type))
  (#eq? @var "var")) @variable

(method_invocation !object name: (_) @called) @call
(method_invocation object: (_) @receiver name: (_) @called) @call
(method_reference . (_) @receiver (identifier) @called .) @call
(object_creation_expression type: (_) @made) @call

(package_declaration [(scoped_identifier) (identifier)] @namespace)
(import_declaration [(scoped_identifier) (identifier)] @import)
