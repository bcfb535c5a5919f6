import type { Request, Response as Reply } from 'express';
import { Controller, Get, Post } from '@nestjs/common';
import Config = require('./config');
import * as util from './util';
export { Logger } from './logger';
export type { Level } from './logger';

/** How many times to try. */
export const RETRIES: number = 3;
const cache = new Map<string, User>();

export type Id = string | number;

export interface Repository<T extends Entity> extends Readable<T>, util.Closable {
  readonly name: string;
  find(id: Id): Promise<T | undefined>;
  save?(entity: T): void;
}

export enum Role { Admin = 'admin', Guest }

declare const enum Flag { On = 1 }

export namespace Shapes.Flat {
  export const UNIT = 1;
  export function area(side: number): number { return side * UNIT; }
}

abstract class Base<T> {
  protected constructor(private readonly repository: Repository<T>) {}
  abstract describe(): string;
}

/**
 * Users over HTTP.
 */
@Controller('users')
export class UserController extends Base<User> implements OnInit, util.Disposable<User> {
  static readonly PAGE = 20;
  private cache?: Map<Id, User>;
  #secret = 'a  b';
  handler = async (request: Request): Promise<Reply> => this.one(request.params.id);

  @Get(':id')
  async one(@Param('id') id: string): Promise<User> {
    const found = await this.repository!.find(id);
    if (!found) throw new NotFound<User>(`no user ${id}`);
    return found as User;
  }

  @Post()
  @Roles(Role.Admin)
  protected create(body: Partial<User>): User { return util.merge<User>(body, defaults); }

  get first(): User | undefined { return cache.values().next().value; }
  private static parse(text: string): unknown { return JSON.parse(text); }
}

export function overload(value: string): string;
export function overload(value: any): any { return value; }

export default function <T>(items: T[], pick: (item: T) => boolean = Boolean): T[] {
  switch (items.length) {
    case 0: return [];
    default: return items.filter(pick);
  }
}

const isUser = (value: unknown): value is User => value instanceof User;

declare module 'express' {
  interface Request { user?: User; }
  export function patch(app: Application): void;
}

describe('users', function () {
  it(`finds one`, async () => { expect(isUser(await load())).toBe(true); });
});
