package dev.colony.server.http;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.pekko.http.impl.engine.server.HttpAttributes;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.FlowShape;
import org.apache.pekko.stream.Inlet;
import org.apache.pekko.stream.Outlet;
import org.apache.pekko.stream.stage.AbstractInOutHandler;
import org.apache.pekko.stream.stage.GraphStage;
import org.apache.pekko.stream.stage.GraphStageLogic;

/**
 * Closes a connection at once whose remote address has as many open as it may. One instance is part
 * of each connection's flow and counts over all of them; what it keeps is bounded by the
 * connections that are open. It closes instead of answering, because an answer waits for a request,
 * and clients that send none would be held.
 *
 * <p>The addresses of one IPv6 network of 64 bits count as one: a host has all of them.
 *
 * <p>The address is the attribute that Pekko HTTP gives each connection where {@code
 * pekko.http.server.remote-address-attribute} is on.
 */
final class AddressLimit<T> extends GraphStage<FlowShape<T, T>> {

  private static final int NETWORK = 8;

  private final Inlet<T> in = Inlet.create("in");
  private final Outlet<T> out = Outlet.create("out");
  private final Map<String, Integer> open = new ConcurrentHashMap<>();
  private final int most;
  private final ApiListener listener;

  /**
   * @param most connections of one address, open at once
   * @param listener is told of those that are refused
   */
  AddressLimit(int most, ApiListener listener) {
    this.most = most;
    this.listener = listener;
  }

  @Override
  public FlowShape<T, T> shape() {
    return FlowShape.of(in, out);
  }

  /** What is counted together. */
  static String key(InetAddress address) {
    return address instanceof Inet6Address
        ? Arrays.toString(Arrays.copyOf(address.getAddress(), NETWORK))
        : address.getHostAddress();
  }

  private boolean enter(String key) {
    int[] before = new int[1];
    open.compute(
        key,
        (one, count) -> {
          before[0] = count == null ? 0 : count;
          return Math.min(before[0] + 1, most);
        });
    return before[0] < most;
  }

  private void leave(String key) {
    open.compute(key, (one, count) -> count == null || count == 1 ? null : count - 1);
  }

  @Override
  public GraphStageLogic createLogic(Attributes attributes) {
    return new Logic(
        key(
            attributes
                .getAttribute(HttpAttributes.RemoteAddress.class)
                .orElseThrow()
                .address()
                .getAddress()));
  }

  private final class Logic extends GraphStageLogic {

    private final String key;
    private boolean entered;

    Logic(String key) {
      super(shape());
      this.key = key;
      setHandlers(
          in,
          out,
          new AbstractInOutHandler() {
            @Override
            public void onPush() {
              push(out, grab(in));
            }

            @Override
            public void onPull() {
              pull(in);
            }
          });
    }

    @Override
    public void preStart() {
      entered = enter(key);
      if (!entered) {
        listener.connectionRefused();
        completeStage();
      }
    }

    @Override
    public void postStop() {
      if (entered) {
        leave(key);
      }
    }
  }
}
