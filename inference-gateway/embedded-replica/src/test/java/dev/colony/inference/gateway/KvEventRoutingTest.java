package dev.colony.inference.gateway;

import static dev.colony.inference.InferenceFixtures.config;
import static dev.colony.inference.InferenceFixtures.freePort;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Usage;
import dev.colony.inference.replicas.EngineLoad;
import dev.colony.inference.replicas.KvEvents.KvEvent;
import dev.colony.inference.replicas.PromptBlocks;
import dev.colony.inference.replicas.Replica;
import dev.colony.inference.replicas.ReplicaMonitor;
import dev.colony.inference.replicas.ReplicaSet;
import dev.colony.inference.replicas.ReplicaSettings;
import dev.colony.inference.replicas.ResidencyView;
import dev.colony.inference.replicas.ResidentPages;
import dev.colony.replica.EmbeddedReplica;
import dev.colony.replica.Replicas;
import dev.colony.vcm.schedule.CostRouter.Decision;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What a gateway knows of a replica's cache, and where it sends calls by that, while the replica
 * publishes the events of its cache over ZeroMQ and is called by another gateway, too.
 */
class KvEventRoutingTest {

  /** As many blocks each as fit twice into the cache. */
  private static final List<String> PAGES = List.of("a", "b", "c", "d");

  private static final Duration OFTEN = Duration.ofMillis(5);
  private static final String OWN = "own";
  private static final String OTHER = "other";

  private final GatewayRig rig = new GatewayRig();
  private final List<KvEvent> heard = new CopyOnWriteArrayList<>();

  /** Pages of which the gateway has told that they are in the replica's cache. */
  private final Set<String> told = ConcurrentHashMap.newKeySet();

  private final Relay events = rig.open(new Relay(() -> followed().kvEventsPort().orElseThrow()));
  private final Relay replay = rig.open(new Relay(() -> followed().kvReplayPort().orElseThrow()));
  private final int port = freePort();
  private volatile EmbeddedReplica followed;
  private volatile boolean alone = true;
  private HttpInferenceGateway gateway;
  private HttpInferenceGateway elsewhere;
  private int asked;

  @AfterEach
  void stop() throws Exception {
    rig.close();
    followed.close();
  }

  private EmbeddedReplica followed() {
    return followed;
  }

  private static EmbeddedReplica replica(int port) {
    return Replicas.start(
        "capacity-blocks = 48",
        "context-tokens = 700",
        "port = " + port,
        "kv-events { enabled = true, port = 0 }");
  }

  /** The followed replica, and on the gateway's own node another one that is not, until then. */
  private void start() {
    followed = replica(port);
    EmbeddedReplica near = rig.open(Replicas.start());
    Replica own = new Replica(OWN, near.uri(), "n1");
    Replica other = new Replica(OTHER, followed.uri(), "n2");
    Config config =
        config(
            "replicas.kv-events { port = " + events.port(),
            "replay-port = " + replay.port() + " }");
    // Only events speak.
    ReplicaMonitor monitor =
        rig.open(
            ReplicaMonitor.start(
                "",
                ReplicaSettings.fromConfig(config),
                ReplicaMonitor.Bounds.USUAL.every(Duration.ofHours(1)),
                Optional.empty(),
                () -> List.of(other)));
    ReplicaSet nearest = ReplicaSet.of(() -> alone ? List.<Replica>of() : List.of(own));
    gateway =
        rig.gateway(
            "n1",
            config,
            ReplicaSet.joined(List.of(nearest, monitor)),
            ResidencyView.NONE,
            new Told());
    elsewhere =
        rig.gateway(
            "n1",
            config,
            ReplicaSet.of(() -> List.of(other)),
            ResidencyView.NONE,
            CallObserver.NONE);
    monitor.listen(
        new ReplicaMonitor.Listener() {
          @Override
          public void load(String replica, EngineLoad load) {
            gateway.replicaListener().load(replica, load);
          }

          @Override
          public void events(String replica, List<KvEvent> now) {
            gateway.replicaListener().events(replica, now);
            heard.addAll(now);
          }
        });
    publishWhile(heard::isEmpty);
  }

  /** Hears what the gateway tells of caches. */
  private final class Told implements CallObserver {

    @Override
    public void answered(
        Replica replica, InferenceRequest request, Usage usage, OptionalLong cachedTokens) {}

    @Override
    public void cached(String replica, ResidentPages.Change change) {
      assertThat(replica).isEqualTo(OTHER);
      assertThat(change.came().keySet()).noneMatch(told::contains);
      assertThat(change.came().values()).allMatch(tokens -> tokens == 300);
      assertThat(told).containsAll(change.gone());
      told.removeAll(change.gone());
      told.addAll(change.came().keySet());
    }
  }

  /**
   * Has the replica publish, by calls over pages of their own, until something is heard. These are
   * shorter than the others, so that what is heard of them late cannot be taken for one of those.
   */
  private void publishWhile(BooleanSupplier not) {
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> {
          elsewhere.complete(rig.call("x" + asked++, 15)).join();
          return !not.getAsBoolean();
        });
  }

  /** The gateway asks the followed replica once over each page, which teaches it the blocks. */
  private void learn() {
    for (String page : PAGES) {
      long before = stored();
      assertThat(ask(gateway, page)).isEqualTo(OTHER);
      await().atMost(Duration.ofSeconds(20)).pollInterval(OFTEN).until(() -> stored() > before);
      agree();
    }
    assertThat(resident()).containsExactly("c", "d");
  }

  /** How often it was heard that blocks were stored. */
  private long stored() {
    return heard.stream().filter(KvEvent.Stored.class::isInstance).count();
  }

  /** Which replica answers. */
  private String ask(HttpInferenceGateway by, String page) {
    return by.complete(rig.call(page)).join().replica();
  }

  /** The pages that the gateway takes to be in the replica's cache. */
  private Set<String> known() {
    Set<String> known = new TreeSet<>();
    for (String page : PAGES) {
      InferenceRequest call = rig.call(page);
      PromptBlocks blocks = gateway.router().blocks(call);
      Decision decision =
          gateway
              .router()
              .decide(call, blocks, ModelCatalog.UNNAMED, Set.of(OWN), replica -> false);
      if (((Decision.Run) decision).cachedBlocks() >= blocks.pageEnds()[0]) {
        known.add(page);
      }
    }
    return known;
  }

  /** Those that are, as the replica says. */
  private Set<String> resident() {
    Set<String> pages = new TreeSet<>(followed.residentPages().keySet());
    pages.retainAll(PAGES);
    return pages;
  }

  /** What the gateway routes by and what it tells of pages become what the replica holds. */
  private void agree() {
    await()
        .atMost(Duration.ofSeconds(20))
        .pollInterval(OFTEN)
        .untilAsserted(() -> {
          assertThat(known()).isEqualTo(resident());
          assertThat(told).isEqualTo(resident());
        });
  }

  @Test
  void whatTheReplicaHoldsIsWhatTheGatewayKnows() {
    start();
    learn();
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    for (int i = 0; i < 20; i++) {
      ask(elsewhere, PAGES.get(random.nextInt(PAGES.size())));
      agree();
    }
    assertThat(heard).noneMatch(KvEvent.Missed.class::isInstance);
  }

  @Test
  void whatWasSaidWhileTheConnectionWasBrokenIsLearnedAfterwards() {
    start();
    learn();
    events.cut();
    ask(elsewhere, "a");
    ask(elsewhere, "b");
    assertThat(resident()).containsExactly("a", "b");
    assertThat(known()).as("nothing was heard").containsExactly("c", "d");
    int before = heard.size();
    events.mend();
    publishWhile(() -> heard.size() == before);
    agree();
    assertThat(heard).noneMatch(KvEvent.Missed.class::isInstance);
  }

  @Test
  void whatWasLostForGoodLeavesNoPageKnown() {
    start();
    learn();
    events.cut();
    replay.cut();
    ask(elsewhere, "a");
    events.mend();
    publishWhile(() -> heard.stream().noneMatch(KvEvent.Missed.class::isInstance));
    await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> assertThat(told).isEmpty());
    replay.mend();
    ask(gateway, "b");
    await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(() -> assertThat(told).containsExactly("b"));
  }

  @Test
  void aReplicaThatWasStartedAgainHoldsNothing() {
    start();
    learn();
    followed.close();
    followed = replica(port);
    // Where the replica takes too long to send again what was missed, that is all that is known.
    publishWhile(() ->
        heard.stream()
            .noneMatch(one -> one instanceof KvEvent.Cleared || one instanceof KvEvent.Missed));
    agree();
    assertThat(known()).isEmpty();
    // What it has told of "x" is heard before "c" is asked, so that it is not taken for that.
    long before = stored();
    ask(elsewhere, "x");
    await().atMost(Duration.ofSeconds(20)).pollInterval(OFTEN).until(() -> stored() > before);
    ask(gateway, "c");
    agree();
    assertThat(known()).containsExactly("c");
  }

  @Test
  void callsGoWhereTheirPagesAreAndNoMoreOnceTheyAreEvicted() {
    start();
    learn();
    alone = false;
    assertThat(ask(gateway, "d")).isEqualTo(OTHER);
    assertThat(ask(gateway, "a")).as("it is nowhere, so the nearest").isEqualTo(OWN);
    for (int i = 0; i < 3; i++) {
      ask(elsewhere, "y" + i);
    }
    agree();
    assertThat(resident()).isEmpty();
    assertThat(ask(gateway, "d")).isEqualTo(OWN);
    ask(elsewhere, "c");
    agree();
    assertThat(ask(gateway, "c")).as("by another gateway's call").isEqualTo(OTHER);
  }

  /** A TCP connection's other end, which can be cut off. */
  private static final class Relay implements AutoCloseable {
    private final IntSupplier target;
    private final ServerSocket door;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private volatile boolean cut;

    Relay(IntSupplier target) {
      this.target = target;
      try {
        door = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
      Thread.ofVirtual().start(this::accept);
    }

    int port() {
      return door.getLocalPort();
    }

    void cut() {
      cut = true;
      sockets.forEach(Relay::end);
    }

    void mend() {
      cut = false;
    }

    private void accept() {
      while (!door.isClosed()) {
        try {
          Socket client = door.accept();
          sockets.add(client);
          if (cut) {
            end(client);
          } else {
            Thread.ofVirtual().start(() -> lead(client));
          }
        } catch (IOException closed) {
          // the test is over
        }
      }
    }

    private void lead(Socket client) {
      try (Socket server = new Socket(InetAddress.getLoopbackAddress(), target.getAsInt())) {
        sockets.add(server);
        Thread.ofVirtual().start(() -> pass(server, client));
        pass(client, server);
      } catch (IOException refused) {
        end(client);
      }
    }

    private void pass(Socket from, Socket to) {
      try {
        from.getInputStream().transferTo(to.getOutputStream());
      } catch (IOException gone) {
        // one side went away; so does the other
      } finally {
        end(from);
        end(to);
      }
    }

    private static void end(Socket socket) {
      try {
        socket.close();
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
    }

    @Override
    public void close() throws IOException {
      door.close();
      sockets.forEach(Relay::end);
    }
  }
}
