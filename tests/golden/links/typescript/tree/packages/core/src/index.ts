export { Store } from './store';
