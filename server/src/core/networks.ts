/** Where a caller comes from, which proxies may say so, and what is on this machine. */
import { BlockList, isIP, SocketAddress } from 'node:net'

const MAPPED = /^::ffff:(?=[0-9.]+$)/i
const ZONE = /%.*$/
const IPV6_GROUPS = 8
const NETWORK_GROUPS = 4

/**
 * What counts as one place: an IPv4 address, or the 64 bits of an IPv6 address that one customer of
 * a provider gets.
 */
export function addressBlockOf(address: string): string {
  const plain = plainAddress(address)
  if (isIP(plain) !== 6) return plain
  const [head = '', tail] = plain.split('::')
  const [before, after] = [groupsOf(head), groupsOf(tail ?? '')]
  const missing = tail === undefined ? 0 : IPV6_GROUPS - before.length - after.length
  const groups = [...before, ...Array.from({ length: missing }, () => '0'), ...after]
  return `${groups.slice(0, NETWORK_GROUPS).join(':')}::/64`
}

const groupsOf = (text: string): string[] =>
  text === '' ? [] : text.split(':').map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''))

const OCTET = '(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])'
const IPV4 = `${OCTET}(\\.${OCTET}){3}`
const GROUP = '[0-9A-Fa-f]{1,4}'
/** As many groups before `::` as there is room for behind it. */
const IPV6 = [
  `(${GROUP}:){7}(${GROUP}|:)`,
  ...[6, 5, 4, 3, 2, 1].map((before) => `(${GROUP}:){${before}}(:${GROUP}){1,${7 - before}}`),
  ...[6, 5, 4, 3, 2, 1].map((before) => `(${GROUP}:){${before}}:`),
  `:((:${GROUP}){1,7}|:)`,
].join('|')
const IPV4_NETWORK = `${IPV4}(/([1-9]|[12][0-9]|3[0-2]))?`
const IPV6_NETWORK = `(${IPV6})(/([1-9]|[1-9][0-9]|1[01][0-9]|12[0-8]))?`
/** What `addressesIn` takes for one address or network. */
export const NETWORK_PATTERN = `^(${IPV4_NETWORK}|${IPV6_NETWORK})$`

/** Whether an address is one of these: addresses and networks, divided by commas. */
export function addressesIn(list: string): (address: string) => boolean {
  const known = new BlockList()
  for (const entry of list.split(',').map((part) => part.trim())) {
    if (entry === '') continue
    const [address = '', bits] = entry.split('/')
    const version = isIP(address)
    if (version === 0 || (bits !== undefined && !/^[0-9]{1,3}$/.test(bits)))
      throw new Error(`${entry} is neither an address nor a network such as 10.0.0.0/8`)
    if (bits !== undefined && Number(bits) === 0) throw new Error(`${entry} is everybody`)
    const family = version === 4 ? 'ipv4' : 'ipv6'
    const most = version === 4 ? 32 : 128
    if (Number(bits ?? 0) > most) throw new Error(`${entry}: a network has at most ${most} bits`)
    if (bits === undefined) known.addAddress(address, family)
    else known.addSubnet(address, Number(bits), family)
  }
  return (address) => {
    const plain = plainAddress(address)
    return isIP(plain) !== 0 && known.check(plain, isIP(plain) === 4 ? 'ipv4' : 'ipv6')
  }
}

const OF_THIS_MACHINE = addressesIn('127.0.0.0/8,::1')

/** Whether only programs of this machine reach what listens there. */
export function isLoopback(host: string): boolean {
  return host.toLowerCase() === 'localhost' || OF_THIS_MACHINE(host)
}

/** Addresses that are not for everybody to reach: of this machine, of a network, of nobody. */
const NOT_PUBLIC_IPV4 = addressesIn(
  [
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.88.99.0/24',
    '192.168.0.0/16',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '224.0.0.0/4',
    '240.0.0.0/4',
  ].join(),
)
/** What the registry of IPv6 has given out, and what of it leads elsewhere or nowhere. */
const GLOBAL_IPV6 = addressesIn('2000::/3')
const NOT_PUBLIC_IPV6 = addressesIn('2001::/23,2001:db8::/32,2002::/16,3fff::/20')

/**
 * Whether an address is one of the public internet. One of IPv6 that holds one of IPv4 is public
 * only as the latter, and only in the one spelling that every system reads so.
 */
export function isPublicAddress(address: string): boolean {
  const plain = plainAddress(address)
  const version = isIP(plain)
  if (version === 4) return !NOT_PUBLIC_IPV4(plain)
  return version === 6 && GLOBAL_IPV6(plain) && !NOT_PUBLIC_IPV6(plain)
}

/** One spelling for each address, without the zone of the machine that saw it. */
export function canonicalAddress(address: string): string {
  const plain = plainAddress(address)
  return isIP(plain) === 6 ? new SocketAddress({ address: plain, family: 'ipv6' }).address : plain
}

function plainAddress(address: string): string {
  return address.replace(MAPPED, '').replace(ZONE, '')
}

/** Whether each of these networks lies in one of those; none at all is everywhere. */
export function isWithinNetworks(networks: readonly string[], of: readonly string[]): boolean {
  return (
    networks.length > 0 &&
    networks.every((network) => of.some((outer) => isWithinNetwork(network, outer)))
  )
}

function isWithinNetwork(network: string, outer: string): boolean {
  const [address = '', bits] = network.split('/')
  const [outerAddress = '', outerBits] = outer.split('/')
  const whole = isIP(address) === 4 ? 32 : 128
  return (
    isIP(address) === isIP(outerAddress) &&
    Number(bits ?? whole) >= Number(outerBits ?? whole) &&
    addressesIn(outer)(address)
  )
}
