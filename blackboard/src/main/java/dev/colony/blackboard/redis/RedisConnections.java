package dev.colony.blackboard.redis;

import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.blackboard.redis.ClientSetup.RedisAddress;
import dev.colony.blackboard.redis.RedisLink.ClusterLink;
import dev.colony.blackboard.redis.RedisLink.ServerLink;
import dev.colony.blackboard.server.KnownHoles;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The connections of one process to one Redis, be it a server, one that sentinels name, or a
 * cluster: a pipelined one for commands and pub/sub ones on demand. Lettuce reconnects by itself
 * and repeats the commands that were under way, so every script must be idempotent.
 *
 * <p>While Redis is away, commands wait up to the command timeout and then fail; a command that
 * failed so may have been carried out nevertheless. When a connection breaks, Lettuce fails the
 * oldest command under way with an {@link java.io.IOException}; {@link RedisScript} repeats it, who
 * sends other commands must do so too.
 */
public final class RedisConnections implements AutoCloseable {

  /** Keys are text, values are bytes. */
  public static final RedisCodec<String, byte[]> CODEC =
      RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE);

  private static final int TICKS_UNTIL_SILENT = 4;

  private static final int DIALS = 5;

  private final RedisAddress address;
  private final RedisSettings settings;
  private final ClientResources resources;
  private final RedisLink link;
  private final Availability availability;
  private final Optional<ReplicaWait> replicaWait;

  /** Connects at once, with the default settings but for the command timeout. */
  public RedisConnections(String url, Duration commandTimeout) {
    this(url, RedisSettings.withTimeout(commandTimeout));
  }

  /**
   * Connects at once and looks whether Redis can be used.
   *
   * @param url {@code redis://user:password@host:port}, {@code
   *     redis-sentinel://host:port,host:port#master} or {@code
   *     redis-cluster://host:port,host:port}; with {@code rediss} in the place of {@code redis}
   *     over TLS
   * @throws IllegalArgumentException if the URL or a file of the TLS settings cannot be used
   * @throws BlackboardException if no server answers there, the server refuses this user, is older
   *     than 6.2, is set to throw data away when its memory is full, or keeps nothing over a
   *     restart
   */
  public RedisConnections(String url, RedisSettings settings) {
    this.address = RedisAddress.parse(url, settings);
    this.settings = settings;
    this.resources = ClientSetup.resources(settings);
    try {
      this.link = open();
    } catch (RuntimeException failure) {
      shutDownResources();
      throw failure;
    }
    try {
      connecting(this::checkedServers);
    } catch (RuntimeException failure) {
      close();
      throw failure;
    }
    this.replicaWait =
        settings.waitReplicas() == 0
            ? Optional.empty()
            : Optional.of(
                new ReplicaWait(connect(), settings.waitReplicas(), settings.commandTimeout()));
    replicaWait.ifPresent(wait -> link.onLost(wait::lost));
    this.availability = new Availability(link::ping, settings.bounds().silentAfter());
    long tickMillis = Math.max(1, settings.bounds().silentAfter().toMillis() / TICKS_UNTIL_SILENT);
    resources
        .eventExecutorGroup()
        .scheduleAtFixedRate(availability::tick, tickMillis, tickMillis, TimeUnit.MILLISECONDS);
  }

  private RedisLink open() {
    if (address.cluster()) {
      ClusterClientOptions options = ClientSetup.clusterOptions(settings, address.tls());
      return connecting(() -> new ClusterLink(resources, options, address.uris()));
    }
    ClientOptions options = ClientSetup.options(settings, address.tls());
    return connecting(() -> new ServerLink(resources, options, address.uris().getFirst()));
  }

  private List<String> checkedServers() {
    List<String> infos = link.info().toCompletableFuture().join();
    infos.forEach(
        info -> new ServerCheck(info).refuseUnfit(address.cluster(), settings.allowNoAof()));
    return infos;
  }

  private <T> T connecting(Supplier<T> connection) {
    return connecting(address(), connection);
  }

  /** Dials again where the client missed why the server hung up, see {@link RedisFailure}. */
  static <T> T connecting(String address, Supplier<T> connection) {
    for (int dial = 1; ; dial++) {
      try {
        return connection.get();
      } catch (RuntimeException failure) {
        if (dial == DIALS || !RedisFailure.missedTheRefusal(failure)) {
          throw RedisFailure.connecting(address, failure);
        }
      }
    }
  }

  /** The shared pipelined connection's commands; thread-safe. */
  public RedisClusterAsyncCommands<String, byte[]> commands() {
    return link.commands();
  }

  /**
   * A new pipelined connection of the caller's own, who closes it; its commands name their keys.
   *
   * @throws BlackboardException if it cannot be made
   */
  public StatefulConnection<String, byte[]> connect() {
    return connecting(link::connect);
  }

  /**
   * A new pub/sub connection, which the caller closes.
   *
   * @throws BlackboardException if it cannot be made
   */
  public StatefulRedisPubSubConnection<String, byte[]> connectPubSub() {
    return connecting(link::connectPubSub);
  }

  /**
   * Calls the listener with false once when Redis has not answered for a while (of a cluster: one
   * of its servers), and with true once when it answers again; never for a connection that is back
   * at once. The listener must not block.
   *
   * @return closing it ends the calls
   */
  public AutoCloseable onAvailability(Consumer<Boolean> listener) {
    return availability.onChange(listener);
  }

  /**
   * Calls the listener each time when a connection was lost, be it back at once; what is sent from
   * then on may reach another server, or the same in an older state. The listener must not block.
   */
  public void onLost(Runnable listener) {
    link.onLost(listener);
  }

  /**
   * Of keys, as few as there are servers that hold them: one for each server of a cluster, as its
   * layout is known at the moment, else the first.
   */
  public List<String> onePerServer(List<String> keys) {
    return link.onePerServer(keys);
  }

  public RedisSettings settings() {
    return settings;
  }

  /**
   * Which processes the servers are that take writes: their run ids, each of which a start makes
   * anew. Fails while one does not answer.
   */
  public CompletionStage<Set<String>> runIds() {
    return link.info()
        .thenApply(infos ->
            infos.stream()
                .map(info -> new ServerCheck(info).field("run_id"))
                .collect(Collectors.toUnmodifiableSet()));
  }

  /**
   * What the operator is to be told of the servers, a line each: known holes, and what they may
   * lose of what they acknowledge. Empty where nothing is known against them.
   */
  public List<String> warnings() {
    List<String> warnings = new ArrayList<>();
    for (String info : connecting(this::checkedServers)) {
      KnownHoles.of(info).ifPresent(warnings::add);
      new ServerCheck(info).unwaitedReplicas(settings.waitReplicas()).ifPresent(warnings::add);
    }
    if (fsync().filter("everysec"::equals).isPresent()) {
      warnings.add(
          "Redis syncs its file every second (appendfsync everysec): a crash of its machine may"
              + " lose the last second; see docs/operations/faults.md");
    }
    return warnings.stream().distinct().toList();
  }

  /** Empty where the user may not ask for it, as with most hosted servers. */
  private Optional<String> fsync() {
    try {
      return Optional.ofNullable(
          commands()
              .configGet("appendfsync")
              .toCompletableFuture()
              .get(settings.commandTimeout().toMillis(), TimeUnit.MILLISECONDS)
              .get("appendfsync"));
    } catch (ExecutionException | TimeoutException refused) {
      return Optional.empty();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  /**
   * Has a change count as stored only when as many replicas have it as the settings ask for; at
   * once where they ask for none.
   *
   * @param key one that the change is about
   * @param change must do nothing a second time
   * @return fails as the change does, and with reason TIMEOUT where too few replicas have it in
   *     time
   */
  public <T> CompletionStage<T> replicated(String key, Supplier<CompletionStage<T>> change) {
    return replicaWait.isEmpty() ? change.get() : replicaWait.get().stored(key, change);
  }

  /** Where Redis is, without user and password, for what a person reads. */
  public String address() {
    return address.shown();
  }

  @Override
  public void close() {
    if (replicaWait != null) {
      replicaWait.ifPresent(ReplicaWait::close);
    }
    link.close();
    shutDownResources();
  }

  private void shutDownResources() {
    long millis = ClientSetup.SHUTDOWN.toMillis();
    resources.shutdown(0, millis, TimeUnit.MILLISECONDS).awaitUninterruptibly(millis);
  }

  /**
   * Whether Redis answers, found out by asking it every now and then. A lost connection alone is no
   * news: it is mostly back within milliseconds, while a server that hangs keeps its connections.
   */
  static final class Availability {

    private final Supplier<CompletionStage<?>> ping;
    private final Duration silentAfter;
    private final List<Consumer<Boolean>> listeners = new CopyOnWriteArrayList<>();
    private boolean asked;
    private Stopwatch silence;
    private boolean available = true;

    Availability(Supplier<CompletionStage<?>> ping, Duration silentAfter) {
      this.ping = ping;
      this.silentAfter = silentAfter;
      this.silence = Stopwatch.start();
    }

    AutoCloseable onChange(Consumer<Boolean> listener) {
      listeners.add(listener);
      return () -> listeners.remove(listener);
    }

    /** Called at a steady pace, several times within the time after which silence counts. */
    void tick() {
      boolean ask;
      synchronized (this) {
        ask = !asked;
        asked = true;
        if (silence.isOver(silentAfter)) {
          change(false);
        }
      }
      if (ask) {
        ping.get().whenComplete((pong, failure) -> answered(failure == null));
      }
    }

    private synchronized void answered(boolean well) {
      asked = false;
      if (well) {
        silence = Stopwatch.start();
        change(true);
      }
    }

    /** Under the lock, so that listeners hear the changes in their order. */
    private void change(boolean now) {
      if (available != now) {
        available = now;
        listeners.forEach(listener -> listener.accept(now));
      }
    }
  }

  /**
   * Whether a server can keep what is entrusted to it.
   *
   * @param info its answer to INFO
   */
  record ServerCheck(String info) {

    private static final int MAJOR = 6;
    private static final int MINOR = 2;
    private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+).*");

    /**
     * Refuses a server that is too old, that throws data away when its memory is full, that keeps
     * nothing over a restart, or that holds only a part of a cluster's data although the URL names
     * one server.
     *
     * @param allowNoAof whether one may be used that writes no append-only file
     * @throws BlackboardException with what to do about it
     */
    void refuseUnfit(boolean cluster, boolean allowNoAof) {
      Matcher version = VERSION.matcher(field("redis_version"));
      if (!version.matches() || older(version)) {
        throw new BlackboardException(
            Reason.UNSUPPORTED_VERSION,
            "its version is '%s'; %d.%d or newer is needed"
                .formatted(field("redis_version"), MAJOR, MINOR));
      }
      String eviction = field("maxmemory_policy");
      if (!field("maxmemory").equals("0") && !eviction.equals("noeviction")) {
        throw new BlackboardException(
            Reason.MISCONFIGURED,
            "it throws data away when its memory is full (maxmemory-policy "
                + eviction
                + "); set maxmemory-policy noeviction");
      }
      if (!allowNoAof && field("aof_enabled").equals("0")) {
        throw new BlackboardException(
            Reason.MISCONFIGURED,
            "it keeps nothing over a restart (appendonly no); set appendonly yes, there and in its"
                + " file, or colony.blackboard.redis.allow-no-aof = true to lose all of it");
      }
      if (!cluster && field("cluster_enabled").equals("1")) {
        throw new BlackboardException(
            Reason.MISCONFIGURED,
            "it is a member of a cluster; write redis-cluster:// in the place of redis://");
      }
    }

    /**
     * What to tell the operator of a server that acknowledges what none of its replicas has yet;
     * empty where it has none, or they are waited for.
     *
     * @param waited how many replicas this process waits for
     */
    Optional<String> unwaitedReplicas(int waited) {
      boolean atRisk =
          waited == 0
              && !field("connected_slaves").equals("0")
              && !field("connected_slaves").isEmpty()
              && field("min_slaves_good_slaves").isEmpty();
      return atRisk
          ? Optional.of(
              "Redis has replicas and acknowledges before they have it: one that is promoted may"
                  + " lack it. Set colony.blackboard.redis.wait-replicas, or its"
                  + " min-replicas-to-write; see docs/operations/faults.md")
          : Optional.empty();
    }

    private static boolean older(Matcher version) {
      int major = Integer.parseInt(version.group(1));
      return major < MAJOR || major == MAJOR && Integer.parseInt(version.group(2)) < MINOR;
    }

    /** A field of the answer; empty where it is not there. */
    String field(String name) {
      return info.lines()
          .filter(line -> line.startsWith(name + ":"))
          .map(line -> line.substring(name.length() + 1).strip())
          .findFirst()
          .orElse("");
    }
  }
}
