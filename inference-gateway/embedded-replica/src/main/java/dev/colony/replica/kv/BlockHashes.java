package dev.colony.replica.kv;

/**
 * Names the full blocks of a token sequence: the hash of a block covers its own tokens and the hash
 * of the block before it, so that equal hashes mean equal prefixes.
 *
 * <p>64 bits: among a million blocks the chance of any collision is below one in ten million.
 */
public final class BlockHashes {

  private static final long ROOT = 0x9E3779B97F4A7C15L;

  private BlockHashes() {}

  /** The chained hashes of all full blocks; trailing tokens that fill no block are left out. */
  static long[] chain(int[] tokens, int blockTokens) {
    return chain(tokens, blockTokens, "");
  }

  /**
   * As above, with a salt in the first block's hash and so in all: prompts of different salts share
   * no block.
   *
   * @param salt empty for none
   */
  public static long[] chain(int[] tokens, int blockTokens, String salt) {
    long[] chain = new long[tokens.length / blockTokens];
    long hash = ROOT;
    for (int i = 0; i < salt.length(); i++) {
      hash = mix(hash * 31 + ~salt.charAt(i));
    }
    for (int block = 0, at = 0; block < chain.length; block++) {
      for (int end = at + blockTokens; at < end; at++) {
        hash = mix(hash * 31 + tokens[at]);
      }
      chain[block] = hash;
    }
    return chain;
  }

  /** The finalizer of SplitMix64: a bijection in which every input bit reaches every output bit. */
  private static long mix(long z) {
    long a = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    long b = (a ^ (a >>> 27)) * 0x94D049BB133111EBL;
    return b ^ (b >>> 31);
  }
}
