package dev.colony.vcm.schedule;

/** A prompt that was sent to a replica, until its call has ended. */
public final class Dispatch {

  final String replica;
  final Ask ask;
  final double prefillSeconds;
  final boolean tellsFirstToken;
  final int expectedBlocks;
  final int[] ages;

  /** When it was sent to the replica, as far as is known. */
  double at;

  /** How long it was computed; negative until that is known. */
  double took = -1;

  /** Blocks that were cached by the reply's word; negative until that is known. */
  int cachedBlocks = -1;

  boolean learned;
  boolean ended;

  Dispatch(
      String replica,
      Ask ask,
      double at,
      double prefillSeconds,
      boolean tellsFirstToken,
      int expectedBlocks,
      int[] ages) {
    this.replica = replica;
    this.ask = ask;
    this.at = at;
    this.prefillSeconds = prefillSeconds;
    this.tellsFirstToken = tellsFirstToken;
    this.expectedBlocks = expectedBlocks;
    this.ages = ages;
  }

  /** The replica that it went to. */
  public String replica() {
    return replica;
  }

  /** What it was sent with. */
  public Ask ask() {
    return ask;
  }
}
