package dev.colony.mcp;

import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.blackboard.clock.MonotonicClock;
import dev.colony.core.dispatch.Backoff;
import dev.colony.core.registry.Secrets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;

/**
 * The MCP servers that agents of a node may use, and its connections to them: a service of the
 * node, which capabilities find by this type. A connection is opened when an agent first needs it,
 * is that agent's own (or its tenant's, where the server is shared), and is closed some time after
 * the last user has left memory. Nothing of it is durable: on another node the agent gets another
 * one. Thread-safe.
 */
public final class McpServers implements AutoCloseable {

  /**
   * Whose connection to what.
   *
   * @param owner an agent, or the tenant of several
   */
  private record Key(String name, McpSettings.Server spec, String owner) {}

  /**
   * The pause before a server that could not be started, or has died soon, is started again. One
   * that has lived longer than the longest pause is started again at once.
   */
  private static final Backoff RESTART = new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(1));

  private final McpSettings settings;
  private final UnaryOperator<String> environment;
  private final Backoff restart;
  private final Map<Key, Slot> slots = new HashMap<>();
  private int open;
  private boolean closed;

  /** The servers that the settings name. */
  public McpServers(McpSettings settings) {
    this(settings, System::getenv, RESTART);
  }

  McpServers(McpSettings settings, UnaryOperator<String> environment, Backoff restart) {
    this.settings = settings;
    this.environment = environment;
    this.restart = restart;
  }

  public synchronized int connections() {
    return open;
  }

  /**
   * What an agent needs to use a server; nothing is opened.
   *
   * @param name a server of the settings
   * @throws AgentException if there is none of that name for agents of this tenant
   */
  Lease named(AgentId agent, String name) {
    McpSettings.Server server = settings.servers().get(name);
    if (server == null
        || !server.tenants().isEmpty() && !server.tenants().contains(agent.tenant())) {
      throw AgentException.refused(
          "this node has no MCP server %s for agents of %s: see colony.mcp.servers"
              .formatted(name, agent.tenant()));
    }
    return lease(agent, name, server);
  }

  private synchronized Lease lease(AgentId agent, String name, McpSettings.Server spec) {
    Key key = new Key(name, spec, spec.shared() ? agent.tenant() : agent.persistenceId());
    Slot slot = slots.computeIfAbsent(key, Slot::new);
    slot.users++;
    return new Lease(slot);
  }

  /** Ends all connections; blocks until their processes have ended or were killed. */
  @Override
  public void close() {
    List<Slot> all;
    synchronized (this) {
      closed = true;
      all = List.copyOf(slots.values());
      slots.clear();
    }
    List<Thread> ending =
        all.stream().map(slot -> Thread.ofVirtual().start(slot::closeAndWait)).toList();
    try {
      for (Thread one : ending) {
        one.join(Duration.ofSeconds(2).plus(StdioTransport.STOP_TIMEOUT.multipliedBy(2)));
      }
    } catch (InterruptedException hurried) {
      Thread.currentThread().interrupt();
    }
  }

  /** Takes a place for one more connection; one that waits for no one has to make room. */
  private boolean admitted() {
    Optional<Slot> idle = Optional.empty();
    synchronized (this) {
      if (closed) {
        return false;
      }
      if (open >= settings.maxConnections()) {
        idle = slots.values().stream().filter(slot -> slot.users == 0 && slot.opened).findAny();
        if (idle.isEmpty()) {
          return false;
        }
        slots.remove(idle.get().key);
      }
    }
    idle.ifPresent(Slot::close);
    synchronized (this) {
      if (closed || open >= settings.maxConnections()) {
        return false;
      }
      open++;
      return true;
    }
  }

  private synchronized void left() {
    open--;
  }

  private void release(Slot slot) {
    synchronized (this) {
      slot.users--;
      slot.idleSince = MonotonicClock.SYSTEM.nanos();
      if (slot.users > 0) {
        return;
      }
    }
    CompletableFuture.delayedExecutor(
            settings.keepIdle().toMillis(),
            TimeUnit.MILLISECONDS,
            task -> Thread.ofVirtual().name("mcp-idle").start(task))
        .execute(() -> closeIdle(slot));
  }

  private void closeIdle(Slot slot) {
    synchronized (this) {
      boolean used = slot.users > 0;
      boolean again =
          MonotonicClock.SYSTEM.nanos() - slot.idleSince < settings.keepIdle().toNanos();
      if (used || again) {
        return;
      }
      slots.remove(slot.key, slot);
    }
    slot.close();
  }

  /** The connection of one owner to one server, over its restarts. */
  private final class Slot {

    private final Key key;
    private final ReentrantLock lock = new ReentrantLock();
    // guarded by the servers
    private int users;
    private long idleSince;
    private volatile boolean opened;
    // guarded by the lock
    private Optional<McpConnection> current = Optional.empty();
    private long openedAt;
    private int failures;
    private long notBefore;

    Slot(Key key) {
      this.key = key;
    }

    McpConnection connection() throws InterruptedException {
      lock.lockInterruptibly();
      try {
        if (current.isPresent() && !current.get().ended()) {
          return current.get();
        }
        if (current.isPresent()) {
          boolean lived = MonotonicClock.SYSTEM.nanos() - openedAt > restart.longest().toNanos();
          drop();
          if (lived) {
            failures = 0;
          } else {
            failed();
          }
        }
        return open();
      } finally {
        lock.unlock();
      }
    }

    private McpConnection open() throws InterruptedException {
      // The first death is answered at once: the pause is for those that follow it.
      long wait = failures > 1 ? notBefore - MonotonicClock.SYSTEM.nanos() : 0;
      if (wait > 0) {
        throw McpConnection.unavailable(
            key.name(),
            "it has failed %d times and is started again in %d ms"
                .formatted(failures, TimeUnit.NANOSECONDS.toMillis(wait) + 1),
            null);
      }
      if (!admitted()) {
        throw McpConnection.unavailable(
            key.name(),
            "this node has " + settings.maxConnections() + " connections, as many as it may",
            null);
      }
      boolean done = false;
      try {
        McpConnection fresh =
            McpConnection.open(key.name(), key.spec(), settings, new Secrets(environment));
        current = Optional.of(fresh);
        openedAt = MonotonicClock.SYSTEM.nanos();
        opened = true;
        done = true;
        return fresh;
      } finally {
        if (!done) {
          left();
          failed();
        }
      }
    }

    private void failed() {
      failures++;
      notBefore =
          MonotonicClock.SYSTEM.nanos() + restart.delay(Math.max(0, failures - 2)).toNanos();
    }

    private Optional<McpConnection> drop() {
      Optional<McpConnection> dropped = current;
      dropped.ifPresent(connection -> {
        current = Optional.empty();
        opened = false;
        left();
        connection.close();
      });
      return dropped;
    }

    void close() {
      lock.lock();
      try {
        drop();
      } finally {
        lock.unlock();
      }
    }

    void closeAndWait() {
      lock.lock();
      try {
        drop().ifPresent(McpConnection::closeAndWait);
      } finally {
        lock.unlock();
      }
    }
  }

  /** An agent's use of a server, from when it has something to do until it has not. */
  final class Lease {

    private final Slot slot;
    private boolean released;

    private Lease(Slot slot) {
      this.slot = slot;
    }

    McpSettings.Server spec() {
      return slot.key.spec();
    }

    String name() {
      return slot.key.name();
    }

    /**
     * The connection, opened if need be. Blocks.
     *
     * @throws AgentException if there can be none at the moment; retryable
     */
    McpConnection connection() throws InterruptedException {
      return slot.connection();
    }

    /** The agent leaves memory; called again it does nothing. */
    void release() {
      synchronized (this) {
        if (released) {
          return;
        }
        released = true;
      }
      McpServers.this.release(slot);
    }
  }
}
