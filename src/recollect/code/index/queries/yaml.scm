(block_mapping_pair key: (_) @name) @definition.constant
