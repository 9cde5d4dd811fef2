package dev.colony.inference.replicas;

import com.typesafe.config.Config;
import dev.colony.blackboard.settings.Range;
import dev.colony.blackboard.settings.Section;
import dev.colony.blackboard.settings.Settings;
import dev.colony.vcm.schedule.CostRouter;
import dev.colony.vcm.schedule.PrefillSpeed;
import dev.colony.vcm.schedule.ScheduleSettings;
import java.time.Duration;

/** Settings of the choice between replicas; {@code reference.conf} says what each does. */
@Section("colony.inference.routing")
public record RoutingSettings(@Range(min = "1", max = "1000000000") long cacheTokens) {

  /** Prompts are compared in blocks of so many characters. */
  public static final int BLOCK_CHARACTERS = 256;

  /** Tokens of a block. */
  public static final double BLOCK_TOKENS = BLOCK_CHARACTERS / PromptBlocks.TOKEN_CHARACTERS;

  /** How often a gateway tells the others what it waits for, at most. */
  public static final Duration REPORT_INTERVAL = Duration.ofMillis(100);

  /**
   * How much more the pages of an agent's call count that another node's replica would have to
   * compute: so many times the time it takes. An agent lives where its pages are, and a page that
   * is computed elsewhere is away from the agents that read it next.
   */
  public static final double AWAY = 3;

  /**
   * A second of prefill counts as 1 + congestion * (calls that wait for their first token, for each
   * replica) seconds: it delays those who come until the queue is worked off, which are as many as
   * wait, times 1 / (1 - the part of the time in which a replica computes prompts). 4 is that of
   * three quarters.
   */
  private static final double CONGESTION = 4;

  /**
   * Where more wait, it is for something else than prompts, as for room in caches: to hold sessions
   * together there is to leave other replicas idle.
   */
  private static final double MAX_CONGESTION = 2;

  /**
   * What a second counts by which the rest of a reply comes later, beside one to a first token.
   * With 0 calls gather where prefixes are until the replies there are slow; with 1 first tokens
   * wait for prefixes to be computed elsewhere.
   */
  private static final double DELAY = 0.1;

  /** Over which time the length of the queues is averaged, in seconds. */
  private static final double QUEUE_AVERAGE = 30;

  /** How long a report counts, in seconds. */
  private static final double REPORT_EXPIRY = 1;

  /** How fast a replica is taken to be until eight calls were observed there. */
  private static final PrefillSpeed ASSUMED = new PrefillSpeed(5_000, 50_000);

  /** The latest calls to a replica by which its speed is judged. */
  private static final int OBSERVATIONS = 256;

  /** The most that may be learned of a cache; a block takes about 150 bytes for each replica. */
  private static final long MAX_CACHE_TOKENS = 4_000_000;

  public static RoutingSettings fromConfig(Config config) {
    return Settings.read(RoutingSettings.class, config);
  }

  /** The rule by which replicas are chosen. */
  public CostRouter router() {
    return CostRouter.chat(CONGESTION, MAX_CONGESTION, DELAY);
  }

  /** How the state of replicas is kept whose caches are counted in blocks of that many tokens. */
  public ScheduleSettings schedule(double blockTokens) {
    return new ScheduleSettings(
        ASSUMED,
        OBSERVATIONS,
        QUEUE_AVERAGE,
        REPORT_EXPIRY,
        (int) Math.max(1, cacheTokens / blockTokens),
        (int) Math.max(1, Math.max(cacheTokens, MAX_CACHE_TOKENS) / blockTokens));
  }

  /** What a call to another node's replica takes longer than one to the own node's, in seconds. */
  public static final double REACH_SECONDS = 0.001;
}
