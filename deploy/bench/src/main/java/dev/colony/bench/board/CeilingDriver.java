package dev.colony.bench.board;

/** A client that makes writes as fast as they can be made. */
interface CeilingDriver extends AutoCloseable {

  /** Who, for the report. */
  String name();

  /**
   * Makes some writes, the numbers of each greater than those before.
   *
   * @return how long it took, in seconds; 0 if it cannot be said
   */
  double run(int first, int end);

  @Override
  void close();
}
