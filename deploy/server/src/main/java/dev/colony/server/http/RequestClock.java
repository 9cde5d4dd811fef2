package dev.colony.server.http;

import java.time.Duration;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.BidiShape;
import org.apache.pekko.stream.Inlet;
import org.apache.pekko.stream.Outlet;
import org.apache.pekko.stream.stage.AbstractInHandler;
import org.apache.pekko.stream.stage.AbstractOutHandler;
import org.apache.pekko.stream.stage.GraphStage;
import org.apache.pekko.stream.stage.GraphStageLogic;
import org.apache.pekko.stream.stage.TimerGraphStageLogic;

/**
 * Ends a connection over which no whole head of a request comes for too long: from when it is
 * opened, and again from each answer on. The idle time-out of the server does not do that, because
 * a client that sends a byte now and then is not idle. An answer that is a stream is the last of
 * its connection, so no clock runs for it.
 */
final class RequestClock
    extends GraphStage<BidiShape<HttpRequest, HttpRequest, HttpResponse, HttpResponse>> {

  private static final String CLOCK = "clock";

  private final Inlet<HttpRequest> asked = Inlet.create("asked");
  private final Outlet<HttpRequest> passed = Outlet.create("passed");
  private final Inlet<HttpResponse> answered = Inlet.create("answered");
  private final Outlet<HttpResponse> sent = Outlet.create("sent");
  private final Duration longest;

  RequestClock(Duration longest) {
    this.longest = longest;
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

    Logic() {
      super(shape());
      setHandler(
          asked,
          new AbstractInHandler() {
            @Override
            public void onPush() {
              cancelTimer(CLOCK);
              push(passed, grab(asked));
            }

            @Override
            public void onUpstreamFinish() {
              complete(passed);
            }
          });
      setHandler(
          passed,
          new AbstractOutHandler() {
            @Override
            public void onPull() {
              if (!hasBeenPulled(asked) && !isClosed(asked)) {
                pull(asked);
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
              if (answer.entity().isStrict()) {
                scheduleOnce(CLOCK, longest);
              }
              push(sent, answer);
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
