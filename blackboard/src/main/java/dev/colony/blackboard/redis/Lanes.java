package dev.colony.blackboard.redis;

import java.security.SecureRandom;
import java.util.BitSet;
import java.util.HexFormat;

/**
 * By what a script knows a call that it has carried out already.
 *
 * <p>Lettuce repeats what was under way when a connection broke, and cannot know what the server
 * had done of it. To remember in Redis what every call of the last minutes did would take memory in
 * proportion to their rate. So calls go in <em>lanes</em>, one at a time in each: a call takes the
 * lowest free lane of its process and the next number, and its script keeps under the lane what the
 * last call did, and its number. The same number again is a repeat, and is answered with what was
 * kept. A lower number is a straggler: a copy that lay in a socket of a broken connection, or in a
 * server that hung, while its caller had the answer by the other copy or gave up. It is refused.
 * There are as many lanes as calls were ever under way at once, and Redis forgets a lane a day
 * after its last call.
 *
 * <p>A lane is free again only when its call has ended for its caller, repeats included.
 * Remembering only the last call of an entry would not do, because another writer may come between
 * a call and its repeat.
 */
final class Lanes {

  private static final int PROCESS_BYTES = 6;

  /**
   * @param number greater than that of every call before it
   */
  record Call(int lane, long number) {}

  private final String process;
  private final BitSet taken = new BitSet();
  private int lowest;
  private long last;

  Lanes() {
    byte[] random = new byte[PROCESS_BYTES];
    new SecureRandom().nextBytes(random);
    this.process = HexFormat.of().formatHex(random);
  }

  /** The same for the life of this process, and of no other. */
  String process() {
    return process;
  }

  synchronized Call begin() {
    int lane = taken.nextClearBit(lowest);
    taken.set(lane);
    lowest = lane + 1;
    return new Call(lane, ++last);
  }

  synchronized void end(Call call) {
    taken.clear(call.lane());
    lowest = Math.min(lowest, call.lane());
  }
}
