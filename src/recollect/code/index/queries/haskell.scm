(declarations (signature name: (variable) @name) @definition.function)
(declarations (signature name: (prefix_id (operator) @name)) @definition.function)
(declarations (function name: (variable) @name) @definition.function)
(declarations (function (infix operator: (operator) @name)) @definition.function)
(declarations (bind name: (variable) @name) @definition.function)
(class_declarations declaration: (signature name: (variable) @name) @definition.method)
(class_declarations declaration: (function name: (variable) @name) @definition.method)
(instance_declarations declaration: (function name: (variable) @name) @definition.method)
(instance_declarations declaration: (bind name: (variable) @name) @definition.method)
(data_type name: (name) @name) @definition.class
(data_type constructors: (_) @body)
(class declarations: (_) @body)
(newtype name: (name) @name) @definition.class
(data_constructor constructor: (prefix name: (constructor) @name)) @definition.constant
(data_constructor constructor: (record name: (constructor) @name)) @definition.constant
(type_synonym name: (name) @name) @definition.type
(class name: (name) @name) @definition.interface
(instance name: (name) @name) @scope
(header module: (module) @package)
(header exports: (exports (export [(variable) (name)] @export)))

(apply function: [(variable) (qualified) (constructor)] @reference.call)
(infix left_operand: (variable) @reference.use)
(infix right_operand: (variable) @reference.use)
(instance name: (name) @reference.implements)
(function parameter: (name) @reference.type)
(function result: (name) @reference.type)
(deriving classes: (tuple (name) @reference.implements))
(deriving classes: (name) @reference.implements)
(import module: (module) @import.module) @import
(import alias: (module) @import.alias)
(import "hiding" @import.hiding)
(import names: (import_list name: (import_name [(variable) (name)] @import.name)))
