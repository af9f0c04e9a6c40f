/** The tiers of an exchange's accounts, each with its own limits. */
export function tierNamed<Limits>(
  tiers: Readonly<Record<string, Limits>>,
  exchange: string,
  name: string,
): Limits {
  const limits = tiers[name]
  if (limits === undefined)
    throw new RangeError(
      `${exchange} has no tier ${name}: tier is one of ${Object.keys(tiers).join(', ')}`,
    )
  return limits
}
