import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { accessOf } from '../http/request.js';
import { authorize } from './authenticate.js';

export type Scope = 'documents:read' | 'documents:write' | 'rules:read' | 'rules:write';

/** The scope that a route needs. A route without it is refused at start: see `ScopeGuard`. */
export const RequireScope = Reflector.createDecorator<Scope>();

/** Lets a request through whose key carries the scope of the route. Who calls was found out before the body was read. */
@Injectable()
export class ScopeGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const scope = this.reflector.get(RequireScope, context.getHandler());
    // Fails closed: a route that names no scope can be called by nobody.
    if (scope === undefined) throw new Error(`The route ${context.getHandler().name} names no scope.`);
    authorize(accessOf(context.switchToHttp().getRequest()), scope);
    return true;
  }
}
