import { Catch, type ExceptionFilter } from '@nestjs/common';
import { throwError, type Observable } from 'rxjs';

/**
 * Gives the runtime what a handler threw. Nest's own filter would turn every error into "Internal server error", and log
 * it with whatever its message quotes.
 */
@Catch()
export class RethrowFilter implements ExceptionFilter {
  catch(exception: unknown): Observable<never> {
    return throwError(() => exception);
  }
}
