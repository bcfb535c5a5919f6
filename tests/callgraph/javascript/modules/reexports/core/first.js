export function one() {}
export function two() {}
