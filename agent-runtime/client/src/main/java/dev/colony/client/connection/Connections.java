package dev.colony.client.connection;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.ColonyProvider;
import dev.colony.agent.client.ScopeSuspensions;
import dev.colony.agent.client.Sessions;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.StateFolder;
import dev.colony.client.ColonyClient;
import dev.colony.client.http.HttpColony;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Connects to clusters by the URL of their Redis or of their API. */
public final class Connections implements ColonyProvider {

  private static final String KEY = "COLONY_KEY";

  /** Where a password may be kept, those of this user and this folder. */
  private final List<Path> servers;

  /** For {@link java.util.ServiceLoader}. */
  public Connections() {
    this(List.of(StateFolder.usual().resolve("redis"), Path.of(".colony", "redis")));
  }

  Connections(List<Path> servers) {
    this.servers = servers;
  }

  @Override
  public Optional<Colony> connect(String url) {
    if (url.startsWith("http://") || url.startsWith("https://")) {
      String key = Optional.ofNullable(System.getenv(KEY)).orElse("").strip();
      return Optional.of(HttpColony.at(URI.create(url), key));
    }
    return url.startsWith("redis") ? Optional.of(new Connected(redis(url))) : Optional.empty();
  }

  private ColonyClient redis(String url) {
    try {
      return ColonyClient.connect(withPassword(url));
    } catch (BlackboardException refused) {
      if (refused.reason() != Reason.UNAUTHENTICATED || url.contains("@")) {
        throw refused;
      }
      throw new AgentException(
          "%s; none that fits was found for this user in %s"
              .formatted(refused.getMessage(), servers),
          refused,
          false);
    }
  }

  /** That of a server of ours that listens where the URL says; the URL itself where it has one. */
  private String withPassword(String url) {
    if (url.contains("@")) {
      return url;
    }
    return servers.stream()
        .flatMap(server -> RedisServerProcess.uriOf(server).stream())
        .filter(own -> sameServer(url, own))
        .findFirst()
        .orElse(url);
  }

  private static boolean sameServer(String url, String own) {
    try {
      URI asked = URI.create(url);
      boolean loopback = List.of("127.0.0.1", "localhost").contains(asked.getHost());
      // What stands behind the port is a number of a database, which ours have one of.
      boolean whole = List.of("", "/", "/0").contains(asked.getPath());
      return loopback && whole && asked.getPort() == URI.create(own).getPort();
    } catch (IllegalArgumentException none) {
      return false;
    }
  }

  /** The colony of a client, which it closes. */
  private record Connected(ColonyClient client) implements Colony {

    @Override
    public AgentHandle agent(AgentId id) {
      return client.colony().agent(id);
    }

    @Override
    public CompletableFuture<AgentHandle> spawn(AgentId id, AgentBlueprint blueprint) {
      return client.colony().spawn(id, blueprint);
    }

    @Override
    public Sessions sessions(String tenant, String colony) {
      return client.colony().sessions(tenant, colony);
    }

    @Override
    public ScopeSuspensions suspensions() {
      return client.colony().suspensions();
    }

    @Override
    public Colony within(ExecutionContext context) {
      return client.colony().within(context);
    }

    @Override
    public void close() {
      client.close();
    }
  }
}
