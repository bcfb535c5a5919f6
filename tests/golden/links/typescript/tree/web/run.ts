import { Store } from '@acme/core';
import { helper } from '@/help';

export function run() {
  const store = new Store();
  store.put(1);
  helper();
}
