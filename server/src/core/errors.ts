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
  SecondFactorRequired: { code: 1007, status: 401, message: 'A second factor is required' },
  SecondFactorMissing: {
    code: 1008,
    status: 403,
    message: 'A second factor must be set up first',
  },
  ConfirmationRequired: {
    code: 1009,
    status: 403,
    message: 'Password and second factor must be confirmed',
  },
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
  ApprovalRequired: { code: 4093, status: 409, message: 'Approval is required' },
  Misdirected: { code: 4211, status: 421, message: 'Misdirected request' },
  RateLimited: { code: 4291, status: 429, message: 'Too many requests' },
} as const

export type ErrorName = keyof typeof ERRORS

/** Why a request was refused, for machines; what each means. The text beside it is for people. */
export const DETAILS = {
  REQUIRED: 'A field is missing.',
  TYPE: 'A field has another type.',
  FORMAT: 'A text is not formed as it must be.',
  RANGE: 'A value is too small or large, too short or long, or does not follow another as it must.',
  ENUM: 'A value is none of those that are allowed.',
  UNKNOWN_FIELD: 'There is no such field or parameter.',
  TOO_LARGE: 'The body is larger than it may be.',
  MALFORMED_JSON: 'The body is not JSON.',
  MALFORMED_ID: 'An id is not a UUID.',
  ENCODING: 'A text has characters that cannot be stored.',
  INSUFFICIENT_BALANCE: 'An account has less available than is needed.',
  STATE_NOT_ALLOWED: 'The record is in a state in which this cannot be done.',
  SUM_MISMATCH: 'Parts do not add up to the whole.',
  SCALE: 'An amount has more digits after the point than its asset.',
  QUOTE_EXPIRED: 'The quote is no longer firm.',
  QUOTE_MISMATCH: 'The quote was made for something else.',
  STALE_PRICE: 'There is no price that is new enough.',
  NO_LIQUIDITY: 'The market has too little for this quantity.',
  NOT_ALLOWLISTED: 'The destination is not on the allow-list.',
  TAG_REQUIRED: 'The destination needs a tag.',
  INVALID_ADDRESS: 'The address is none of this protocol.',
  UNSUPPORTED_BY_VENUE: 'The venue cannot do this.',
  DUPLICATE: 'There is one already, or it is named twice.',
  STALE_VERSION: 'The record was changed since it was read.',
  NOT_FOUND: 'The record that is named does not exist.',
  UNKNOWN_ASSET: 'There is no such asset.',
  ASSET_MISMATCH: 'Two assets that must be the same differ.',
  UNBALANCED: 'Debits and credits differ.',
  PERIOD_CLOSED: 'The date is not in the open period.',
  FEE_MISMATCH: 'The fee is not what the venue takes.',
  ANOTHER_PERSON: 'Somebody else has to do it, and no program.',
  IN_USE: 'Something else still needs the record.',
  CONFLICT: 'It contradicts another field, or what is stored.',
  WEAK_PASSWORD: 'The password is too easy to guess.',
  WRONG_CODE: 'The code is wrong, or was used before.',
  WRONG_PASSKEY:
    'The passkey is none of the user, or its answer is wrong, too late or used before.',
  SIGN_IN_REFUSED:
    'The sign-in is refused, by a provider or with a password; the message says why.',
  BELOW_MINIMUM: 'Less than the least that is taken.',
  ABOVE_MAXIMUM: 'More than the most that is taken.',
  REFUSED_BY_VENUE: 'The venue has refused it.',
  NOT_ACTIVE: 'The record that is named is not active.',
  LOCKED: 'Somebody else is at it.',
  METHOD_NOT_ALLOWED: 'The address does not take this method.',
  HALTED: 'A halt is set.',
  FROZEN: 'The account is frozen.',
  WALLET_OF_ANOTHER_CUSTOMER: 'The wallet belongs to another customer than who pays.',
  RETENTION_PERIOD: 'The law requires that it is still kept.',
  LIMIT_EXCEEDED: 'A limit of the API key does not allow it.',
  DAILY_LIMIT_EXCEEDED:
    'The API key has moved its limit of the day; asked again on the next (UTC), it may pass.',
  POLICY_DENIED: 'The policy denies it; the message names the rule, and from when on it may pass.',
  APPROVAL_REQUIRED:
    'The policy asks for approval: nothing is done yet. The message names the approval request.',
  PERMISSION_REQUIRED: 'A permission is missing; the message names it.',
  API_KEY_REVOKED: 'The API key was revoked. It never works again.',
  API_KEY_EXPIRED: 'The API key has expired. It works again once its end is moved.',
  API_KEY_ROTATED: 'This secret ended after a rotation. The newer one of the same key works.',
  API_KEY_NETWORK: 'The API key is not accepted from this network address.',
} as const

export type DetailCode = keyof typeof DETAILS

export const DETAIL_CODES = Object.keys(DETAILS) as readonly DetailCode[]

/** What tells the bearer of the right secret why it is refused; a stranger is told 1001 alone. */
export const API_KEY_CODES = [
  'API_KEY_REVOKED',
  'API_KEY_EXPIRED',
  'API_KEY_ROTATED',
  'API_KEY_NETWORK',
] as const satisfies readonly DetailCode[]

/** `path` names the field in the request (`legs[0].quantity`); empty for the request as a whole. */
export type ErrorDetail = {
  path: string
  code: DetailCode
  message: string
  /** The record that the message names, where a caller goes on with it. */
  record_id?: string
}

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

/** 1001 with one detail. Only for who has shown the right secret. */
export function keyRefused(code: (typeof API_KEY_CODES)[number], message: string): ApiError {
  return new ApiError('MissingToken', message, [{ path: '', code, message }])
}

/** 4004; `resource` in words (`account`), `path` the field or path parameter that named it. */
export function notFound(resource: string, id: string, path = ''): ApiError {
  const message = `${resource} ${id} does not exist`
  return new ApiError('NewResourceNotFound', message, [{ path, code: 'NOT_FOUND', message }])
}
