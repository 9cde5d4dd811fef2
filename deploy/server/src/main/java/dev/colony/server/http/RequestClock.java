package dev.colony.server.http;

import java.net.InetAddress;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.http.impl.engine.server.HttpAttributes;
import org.apache.pekko.http.javadsl.model.AttributeKey;
import org.apache.pekko.http.javadsl.model.HttpProtocols;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.BidiShape;
import org.apache.pekko.stream.Inlet;
import org.apache.pekko.stream.Outlet;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.stream.stage.AbstractInHandler;
import org.apache.pekko.stream.stage.AbstractOutHandler;
import org.apache.pekko.stream.stage.AsyncCallback;
import org.apache.pekko.stream.stage.GraphStage;
import org.apache.pekko.stream.stage.GraphStageLogic;
import org.apache.pekko.stream.stage.TimerGraphStageLogic;
import org.apache.pekko.util.ByteString;

/**
 * Ends a connection over which no whole head of a request comes for too long: from when it is
 * opened, and again from each answer on. The idle time-out of the server does not do that, because
 * a client that sends a byte now and then is not idle. While an answer is under way no clock runs.
 * Counts the connection with the others, and closes it at once where there is no room for it: an
 * answer would wait for a request, and clients that send none would be held. It is open, and
 * counts, as long as its answer is on its way, be it that the client has ended its side.
 *
 * <p>Tells each request what becomes of its client, also while its answer is not there yet: for
 * that one request more is read than is passed on, since a connection that is not read is not seen
 * to end.
 *
 * <p>The remote address is the attribute that Pekko HTTP gives each connection.
 */
final class RequestClock
    extends GraphStage<BidiShape<HttpRequest, HttpRequest, HttpResponse, HttpResponse>> {

  /**
   * What becomes of the client of a request. Both complete on a thread that must not wait.
   *
   * @param gone when the connection has failed, or was closed, before the request had its answer
   * @param sideEnded when the client sends nothing more. It may be gone, or may read its answer:
   *     only what is sent to it tells
   */
  record Client(CompletableFuture<Done> gone, CompletableFuture<Done> sideEnded) {
    Client() {
      this(new CompletableFuture<>(), new CompletableFuture<>());
    }
  }

  static final AttributeKey<Client> CLIENT = AttributeKey.create("client", Client.class);

  private static final String CLOCK = "clock";
  private static final String UNREAD = "unread";

  private final Inlet<HttpRequest> asked = Inlet.create("asked");
  private final Outlet<HttpRequest> passed = Outlet.create("passed");
  private final Inlet<HttpResponse> answered = Inlet.create("answered");
  private final Outlet<HttpResponse> sent = Outlet.create("sent");
  private final Duration longest;
  private final Connections connections;
  private final ApiListener listener;

  /**
   * @param longest that the head of a request may take
   * @param listener is told of connections
   */
  RequestClock(Duration longest, Connections connections, ApiListener listener) {
    this.longest = longest;
    this.connections = connections;
    this.listener = listener;
  }

  @Override
  public BidiShape<HttpRequest, HttpRequest, HttpResponse, HttpResponse> shape() {
    return new BidiShape<>(asked, passed, answered, sent);
  }

  @Override
  public GraphStageLogic createLogic(Attributes attributes) {
    return new Logic(
        attributes
            .getAttribute(HttpAttributes.RemoteAddress.class)
            .orElseThrow()
            .address()
            .getAddress());
  }

  private final class Logic extends TimerGraphStageLogic {

    private final InetAddress remote;
    private Optional<Connections.Connection> connection = Optional.empty();
    private Client client = new Client();
    private Optional<HttpRequest> early = Optional.empty();
    private boolean closeAnnounced;
    private int underWay;
    private int streaming;
    private volatile boolean streamBegun;

    Logic(InetAddress remote) {
      super(shape());
      this.remote = remote;
      setHandler(
          asked,
          new AbstractInHandler() {
            @Override
            public void onPush() {
              HttpRequest request = grab(asked);
              if (isAvailable(passed)) {
                pass(request);
              } else {
                early = Optional.of(request);
              }
            }

            @Override
            public void onUpstreamFinish() {
              if (!closeAnnounced) {
                client.sideEnded().complete(Done.getInstance());
              }
              if (early.isEmpty()) {
                complete(passed);
              }
            }
          });
      setHandler(
          passed,
          new AbstractOutHandler() {
            @Override
            public void onPull() {
              if (early.isPresent()) {
                HttpRequest request = early.get();
                early = Optional.empty();
                pass(request);
              } else {
                readAhead();
              }
            }

            @Override
            public void onDownstreamFinish(Throwable cause) {
              cancel(asked);
            }
          });
      setHandler(
          answered,
          new AbstractInHandler() {
            @Override
            public void onPush() {
              HttpResponse answer = grab(answered);
              underWay--;
              if (answer.entity().isStrict()) {
                answered();
                push(sent, answer);
              } else {
                streaming++;
                streamBegun = false;
                setKeepGoing(true);
                scheduleOnce(UNREAD, longest);
                push(sent, answer.transformEntityDataBytes(whole()));
              }
            }

            @Override
            public void onUpstreamFinish() {
              complete(sent);
            }
          });
      setHandler(
          sent,
          new AbstractOutHandler() {
            @Override
            public void onPull() {
              if (!hasBeenPulled(answered) && !isClosed(answered)) {
                pull(answered);
              }
            }

            @Override
            public void onDownstreamFinish(Throwable cause) {
              cancel(answered);
            }
          });
    }

    private void pass(HttpRequest request) {
      cancelTimer(CLOCK);
      underWay++;
      connection.ifPresent(Connections.Connection::busy);
      client = new Client();
      // The parser reads nothing behind the body of such a request: its end is not the client's.
      closeAnnounced = !request.entity().isStrict() && announcesClose(request);
      push(passed, request.addAttribute(CLIENT, client));
      if (isClosed(asked)) {
        complete(passed);
      } else {
        readAhead();
      }
    }

    private void answered() {
      if (underWay == 0) {
        connection.ifPresent(Connections.Connection::idle);
        scheduleOnce(CLOCK, longest);
      }
    }

    /** Tells when all of a stream has gone. */
    private Flow<ByteString, ByteString, NotUsed> whole() {
      AsyncCallback<Done> over = createAsyncCallback(done -> streamed());
      return Flow.of(ByteString.class)
          .watchTermination((used, done) -> {
            streamBegun = true;
            done.whenComplete((ended, failure) -> over.invoke(Done.getInstance()));
            return used;
          });
    }

    private void streamed() {
      cancelTimer(UNREAD);
      streaming--;
      if (streaming == 0) {
        setKeepGoing(false);
      }
      answered();
    }

    private void readAhead() {
      if (!hasBeenPulled(asked) && !isClosed(asked)) {
        pull(asked);
      }
    }

    @Override
    public void preStart() {
      listener.connected();
      AsyncCallback<Done> close = createAsyncCallback(done -> makeRoom());
      connection = connections.enter(remote, () -> close.invoke(Done.getInstance()));
      if (connection.isEmpty()) {
        listener.connectionRefused();
        completeStage();
      } else {
        scheduleOnce(CLOCK, longest);
      }
    }

    private void makeRoom() {
      if (underWay == 0 && streaming == 0) {
        listener.connectionRefused();
        completeStage();
      }
    }

    @Override
    public void onTimer(Object key) {
      if (key.equals(CLOCK)) {
        completeStage();
      } else if (!streamBegun) {
        // No client was left to read it.
        setKeepGoing(false);
      }
    }

    @Override
    public void postStop() {
      if (underWay > 0 || streaming > 0 && !streamBegun) {
        client.gone().complete(Done.getInstance());
      }
      connection.ifPresent(Connections.Connection::left);
      listener.disconnected();
    }
  }

  private static boolean announcesClose(HttpRequest request) {
    String said =
        request
            .getHeader("Connection")
            .map(header -> header.value().toLowerCase(Locale.ROOT))
            .orElse("");
    return request.protocol().equals(HttpProtocols.HTTP_1_0)
        ? !said.contains("keep-alive")
        : said.contains("close");
  }
}
