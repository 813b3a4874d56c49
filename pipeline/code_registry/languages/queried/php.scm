; The captures are explained in extractor.py.

[
  (class_declaration name: (_) @name)
  (interface_declaration name: (_) @name)
  (trait_declaration name: (_) @name)
  (enum_declaration name: (_) @name)
] @class
(class_declaration (base_clause (_) @base)) @heir
(class_declaration (class_interface_clause (_) @base)) @heir
(class_declaration body: (declaration_list (use_declaration (_) @base))) @heir

(function_definition name: (_) @name return_type: (_)? @returns) @function
(method_declaration name: (_) @name return_type: (_)? @returns) @function

(method_declaration
  attributes: (attribute_list (attribute_group (attribute (_) @mark)))
  (#match? @mark "(^|\\\\)Test$")) @test

(simple_parameter type: (_)? @type name: (variable_name (name) @name)) @parameter
(property_promotion_parameter type: (_)? @type name: (variable_name (name) @name)) @parameter
(property_promotion_parameter type: (_) @type name: (variable_name (name) @name)) @field
(property_declaration type: (_) @type (property_element name: (variable_name (name) @name))) @field
(assignment_expression
  left: (variable_name (name) @name)
  right: (object_creation_expression [(name) (qualified_name)] @type)) @variable

(function_call_expression function: [(name) (qualified_name)] @called) @call
(member_call_expression object: (_) @receiver name: (name) @called) @call
(nullsafe_member_call_expression object: (_) @receiver name: (name) @called) @call
(scoped_call_expression scope: (_) @receiver name: (name) @called) @call
(object_creation_expression [(name) (qualified_name)] @made) @call

(namespace_definition name: (_) @namespace)
(namespace_use_declaration) @import
