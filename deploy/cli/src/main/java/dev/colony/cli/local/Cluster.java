package dev.colony.cli.local;

import com.typesafe.config.Config;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.redis.RedisSettings;
import dev.colony.blackboard.settings.Settings;
import dev.colony.cli.local.UpRecord.NodeRecord;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.client.BlackboardColony;
import dev.colony.client.ClientSettings;
import dev.colony.client.directory.HomeResolver;
import dev.colony.journal.Journal;
import dev.colony.journal.JournalException;
import dev.colony.node.Started;
import dev.colony.node.entity.AgentSettings;
import dev.colony.server.node.Node;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.store.BlackboardPageStore;
import dev.colony.vcm.store.StoreSettings;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A cluster that a command may use, and what the command must end when it is done with it. */
public final class Cluster implements AutoCloseable {

  private final Blackboards blackboards;
  private final Config config;
  private final PageStore pages;
  private final String redisUri;
  private final int nodes;
  private final Supplier<List<WaitingCalls>> waiting;
  private final Started owned;

  /**
   * Takes over what it owns.
   *
   * @param waiting asks the nodes for their model calls under way
   * @param owned ends what was started for the command, the blackboards first
   */
  Cluster(
      Blackboards blackboards,
      Config config,
      String redisUri,
      int nodes,
      Supplier<List<WaitingCalls>> waiting,
      Started owned) {
    this.blackboards = blackboards;
    this.config = config;
    this.pages =
        new BlackboardPageStore(
            blackboards, Node.PAGES_TENANT, "client", StoreSettings.fromConfig(config));
    this.redisUri = redisUri;
    this.nodes = nodes;
    this.waiting = waiting;
    this.owned = owned;
  }

  public Blackboards blackboards() {
    return blackboards;
  }

  public Colony colony() {
    return colony(HomeResolver.byHash(units()));
  }

  /** The same, which spawns agents that share something on one node. */
  public Colony colonyOf(String shared) {
    return colony(HomeResolver.together(shared, units()));
  }

  private Colony colony(HomeResolver homes) {
    return new BlackboardColony(blackboards, homes, Settings.read(ClientSettings.class, config));
  }

  private int units() {
    return Settings.read(AgentSettings.class, config).placementUnits();
  }

  public String redisUri() {
    return redisUri;
  }

  public PageStore pages() {
    return pages;
  }

  public int nodes() {
    return nodes;
  }

  /**
   * The nodes' model calls that have no answer yet; of a node that does not answer, none. Blocks.
   */
  public List<WaitingCalls> waiting() {
    return waiting.get();
  }

  /** Ends what was started for this command and nothing else. Does nothing the second time. */
  @Override
  public void close() {
    owned.close();
  }

  /**
   * Model calls of a node that have no answer yet.
   *
   * @param server the base URL of the node's model server
   * @param silent how long no token has come of one of them, the longest
   */
  public record WaitingCalls(String server, int calls, Duration silent) {

    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final HttpClient HTTP = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();

    private static final Pattern CALLS = gauge("colony_model_calls_active");
    private static final Pattern SILENT = gauge("colony_model_calls_silent_seconds");

    /**
     * Those that a node's figures speak of, as it shows them to Prometheus; empty without a call.
     */
    static Optional<WaitingCalls> in(String server, String figures) {
      int calls = (int) value(CALLS, figures);
      return calls == 0
          ? Optional.empty()
          : Optional.of(
              new WaitingCalls(
                  server, calls, Duration.ofMillis((long) (1000 * value(SILENT, figures)))));
    }

    /** Those of a node of this machine; empty without a call, or if it does not answer. Blocks. */
    static Optional<WaitingCalls> of(NodeRecord node) {
      return figures(node).flatMap(text -> in(node.replica(), text));
    }

    /** What the node's management shows to Prometheus. */
    private static Optional<String> figures(NodeRecord node) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("http://" + node.management() + "/metrics"))
              .timeout(TIMEOUT)
              .build();
      try {
        HttpResponse<String> answer = HTTP.send(request, BodyHandlers.ofString());
        return answer.statusCode() == 200 ? Optional.of(answer.body()) : Optional.empty();
      } catch (IOException silent) {
        return Optional.empty();
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        return Optional.empty();
      }
    }

    private static Pattern gauge(String name) {
      return Pattern.compile("^" + name + "(?:\\{[^}]*\\})? ([0-9.E+-]+)$", Pattern.MULTILINE);
    }

    private static double value(Pattern gauge, String figures) {
      Matcher found = gauge.matcher(figures);
      return found.find() ? Double.parseDouble(found.group(1)) : 0;
    }
  }

  /** The blackboard of a cluster, for a process that needs nothing else of it. */
  public static final class BlackboardClient implements AutoCloseable {

    private final RedisConnections redis;
    private final Blackboards blackboards;

    private BlackboardClient(RedisConnections redis, Blackboards blackboards) {
      this.redis = redis;
      this.blackboards = blackboards;
    }

    /**
     * Connects.
     *
     * @param notice told when Redis stops to answer and when it is back
     * @throws CommandFailure if it is no Redis URL
     * @throws dev.colony.blackboard.BlackboardException if no server answers there, or Redis cannot
     *     be used
     */
    public static BlackboardClient connect(
        String redisUri, Config config, Consumer<String> notice) {
      RedisConnections redis = open(redisUri, config);
      try {
        redis.onAvailability(available ->
            notice.accept(
                available
                    ? "Redis at " + redis.address() + " is back"
                    : "Redis at " + redis.address() + " does not answer; waiting for it"));
        return new BlackboardClient(
            redis, new RedisBlackboards(redis, BlackboardSettings.fromConfig(config)));
      } catch (RuntimeException failure) {
        redis.close();
        throw failure;
      }
    }

    private static RedisConnections open(String redisUri, Config config) {
      try {
        return new RedisConnections(redisUri, RedisSettings.fromConfig(config));
      } catch (IllegalArgumentException unusable) {
        throw CommandFailure.badInput(unusable.getMessage(), unusable);
      }
    }

    public Blackboards blackboards() {
      return blackboards;
    }

    @Override
    public void close() {
      blackboards.close();
      redis.close();
    }

    /**
     * Opens the journal of a cluster, for a command that is no member of it.
     *
     * @throws CommandFailure if the journal there was laid out by other settings
     * @throws dev.colony.blackboard.BlackboardException if no server answers there
     */
    public static Journal journal(String redisUri, Config config) {
      try {
        return Journal.open(redisUri, config);
      } catch (JournalException otherLayout) {
        throw CommandFailure.badInput(otherLayout.getMessage(), otherLayout);
      }
    }
  }
}
