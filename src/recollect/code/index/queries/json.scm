(pair key: (string) @name) @definition.constant
