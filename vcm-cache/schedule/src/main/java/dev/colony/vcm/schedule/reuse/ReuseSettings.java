package dev.colony.vcm.schedule.reuse;

/**
 * How the reuse of prompts is learned.
 *
 * @param classes numbers of turns that are told apart, the last one for all higher; from 1
 * @param horizonSeconds after which a conversation is taken not to go on; above 0
 * @param learnedEvery prompts after which what was seen is summed up again; from 1
 * @param mostBlocks blocks that are remembered, about 100 bytes each; from 1
 */
public record ReuseSettings(int classes, double horizonSeconds, int learnedEvery, int mostBlocks) {

  /** What the measurements in docs/routing.md were made with. */
  public static final ReuseSettings DEFAULT = new ReuseSettings(6, 1_800, 200, 1_000_000);

  public ReuseSettings {
    if (classes < 1 || !(horizonSeconds > 0) || learnedEvery < 1 || mostBlocks < 1) {
      throw new IllegalArgumentException("a setting is out of range");
    }
  }
}
