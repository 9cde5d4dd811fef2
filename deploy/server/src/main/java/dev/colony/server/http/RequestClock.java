package dev.colony.server.http;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.http.javadsl.model.AttributeKey;
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
 *
 * <p>Tells each request when its connection ends, also while its answer is not there yet: for that
 * one request more is read than is passed on, since a connection that is not read is not seen to
 * end.
 */
final class RequestClock
    extends GraphStage<BidiShape<HttpRequest, HttpRequest, HttpResponse, HttpResponse>> {

  /** Of each request: completes when its connection has ended, on a thread that must not wait. */
  static final AttributeKey<CompletableFuture<Void>> ENDED = ended();

  private static final String CLOCK = "clock";

  private final Inlet<HttpRequest> asked = Inlet.create("asked");
  private final Outlet<HttpRequest> passed = Outlet.create("passed");
  private final Inlet<HttpResponse> answered = Inlet.create("answered");
  private final Outlet<HttpResponse> sent = Outlet.create("sent");
  private final Duration longest;

  RequestClock(Duration longest) {
    this.longest = longest;
  }

  @SuppressWarnings("unchecked")
  private static AttributeKey<CompletableFuture<Void>> ended() {
    return (AttributeKey<CompletableFuture<Void>>)
        (AttributeKey<?>) AttributeKey.create("connection-ended", CompletableFuture.class);
  }

  @Override
  public BidiShape<HttpRequest, HttpRequest, HttpResponse, HttpResponse> shape() {
    return new BidiShape<>(asked, passed, answered, sent);
  }

  @Override
  public GraphStageLogic createLogic(Attributes attributes) {
    return new Logic();
  }

  private final class Logic extends TimerGraphStageLogic {

    private CompletableFuture<Void> ended = new CompletableFuture<>();
    private Optional<HttpRequest> early = Optional.empty();
    private int underWay;

    Logic() {
      super(shape());
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
              ended.complete(null);
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
      ended = new CompletableFuture<>();
      push(passed, request.addAttribute(ENDED, ended));
      if (isClosed(asked)) {
        complete(passed);
      } else {
        readAhead();
      }
    }

    private void answered() {
      if (underWay == 0) {
        scheduleOnce(CLOCK, longest);
      }
    }

    /** Tells when all of a stream has gone. */
    private Flow<ByteString, ByteString, NotUsed> whole() {
      AsyncCallback<Done> gone = createAsyncCallback(done -> answered());
      return Flow.of(ByteString.class)
          .watchTermination((used, done) -> {
            done.whenComplete((over, failure) -> gone.invoke(Done.getInstance()));
            return used;
          });
    }

    private void readAhead() {
      if (!hasBeenPulled(asked) && !isClosed(asked)) {
        pull(asked);
      }
    }

    @Override
    public void postStop() {
      ended.complete(null);
    }

    @Override
    public void preStart() {
      scheduleOnce(CLOCK, longest);
    }

    @Override
    public void onTimer(Object key) {
      completeStage();
    }
  }
}
