const api = { deep: { call() {} } };
api?.deep?.call?.();
api.missing?.();
