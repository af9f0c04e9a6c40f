/**
 * Every error that an endpoint may answer: the interface specification, part 7, and docs/domain.md,
 * part 1.
 */
export const ERRORS = {
  MissingToken: { code: 1001, status: 401, message: 'Authorization header missing or invalid' },
  PermissionDenied: { code: 1003, status: 403, message: 'Permission denied' },
  RequirePasswordChange: { code: 1004, status: 401, message: 'A Password change is required' },
  TokenExpired: { code: 1005, status: 401, message: 'Access token expired' },
  RefreshTokenInvalid: { code: 1006, status: 401, message: 'Refresh token is invalid' },
  InternalServerError: { code: 2001, status: 500, message: 'Internal Server error' },
  VenueUnreachable: { code: 2003, status: 503, message: 'Venue unreachable' },
  Busy: { code: 2004, status: 503, message: 'Too busy' },
  BadRequest: { code: 3001, status: 400, message: 'BadRequest' },
  WrongUserNamePassword: { code: 3002, status: 401, message: 'Wrong username or password' },
  NewResourceNotFound: { code: 4004, status: 404, message: 'Resource not found' },
  MethodNotAllowed: { code: 4051, status: 405, message: 'Method not allowed' },
  IdempotencyConflict: {
    code: 4091,
    status: 409,
    message: 'Idempotency key was used with another request',
  },
  IdempotencyInProgress: {
    code: 4092,
    status: 409,
    message: 'The first request with this idempotency key is still running',
  },
  Misdirected: { code: 4211, status: 421, message: 'Misdirected request' },
  RateLimited: { code: 4291, status: 429, message: 'Too many requests' },
} as const

export type ErrorName = keyof typeof ERRORS

/** Why a 3001 was refused, for machines. The text beside it is for people. */
export const DETAIL_CODES = [
  'REQUIRED',
  'TYPE',
  'FORMAT',
  'RANGE',
  'ENUM',
  'UNKNOWN_FIELD',
  'TOO_LARGE',
  'MALFORMED_JSON',
  'MALFORMED_ID',
  'ENCODING',
  'INSUFFICIENT_BALANCE',
  'STATE_NOT_ALLOWED',
  'SUM_MISMATCH',
  'SCALE',
  'QUOTE_EXPIRED',
  'QUOTE_MISMATCH',
  'STALE_PRICE',
  'NO_LIQUIDITY',
  'NOT_ALLOWLISTED',
  'TAG_REQUIRED',
  'INVALID_ADDRESS',
  'UNSUPPORTED_BY_VENUE',
  'DUPLICATE',
  'STALE_VERSION',
  'NOT_FOUND',
  'UNKNOWN_ASSET',
  'ASSET_MISMATCH',
  'UNBALANCED',
  'PERIOD_CLOSED',
  'FEE_MISMATCH',
  'IN_USE',
  'CONFLICT',
  'WEAK_PASSWORD',
  'BELOW_MINIMUM',
  'ABOVE_MAXIMUM',
  'REFUSED_BY_VENUE',
  'NOT_ACTIVE',
  'LOCKED',
  'METHOD_NOT_ALLOWED',
  'HALTED',
  'FROZEN',
  'WALLET_OF_ANOTHER_CUSTOMER',
  'RETENTION_PERIOD',
  'LIMIT_EXCEEDED',
  'DAILY_LIMIT_EXCEEDED',
  'PERMISSION_REQUIRED',
] as const

export type DetailCode = (typeof DETAIL_CODES)[number]

/** `path` names the field in the request (`legs[0].quantity`); empty for the request as a whole. */
export type ErrorDetail = { path: string; code: DetailCode; message: string }

export class ApiError extends Error {
  readonly kind: ErrorName
  readonly details: readonly ErrorDetail[]
  /** Seconds after which a repeat makes sense; only for RateLimited and Busy. */
  readonly retryAfter: number | undefined

  constructor(
    kind: ErrorName,
    description?: string,
    details: readonly ErrorDetail[] = [],
    retryAfter?: number,
  ) {
    super(description ?? ERRORS[kind].message)
    this.name = 'ApiError'
    this.kind = kind
    this.details = details
    this.retryAfter = retryAfter
  }
}

/** 3001 with one detail. */
export function refuse(code: DetailCode, path: string, message: string): ApiError {
  return new ApiError('BadRequest', message, [{ path, code, message }])
}

/** 1003 with one detail. */
export function permissionRequired(permission: string, what = 'this'): ApiError {
  const message = `${what} needs the permission ${permission}`
  return new ApiError('PermissionDenied', message, [
    { path: '', code: 'PERMISSION_REQUIRED', message },
  ])
}

/** 4004; `resource` in words (`account`), `path` the field or path parameter that named it. */
export function notFound(resource: string, id: string, path = ''): ApiError {
  const message = `${resource} ${id} does not exist`
  return new ApiError('NewResourceNotFound', message, [{ path, code: 'NOT_FOUND', message }])
}
