package dev.colony.inference.provider;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.inference.CallContext;
import java.net.http.HttpRequest;

/**
 * What an engine is told of a call beside its prompt. Only a server of a dialect that takes a hint
 * is sent it; one that refuses it is not sent it again, as any other field of its {@link Dialect}.
 *
 * <p>vLLM from 0.32 on: the call's session, with a report of all blocks that the call uses, so that
 * the events of its cache tell whose they are; and the call's priority, which counts where the
 * server was started with {@code --scheduling-policy priority} and is passed over where not. Older
 * ones pass all of it over.
 */
final class EngineHints {

  /** The names of headers are lower case, as a refusal's words are compared. */
  static final String SESSION = "x-session-id";

  static final String PRIORITY = "x-vllm-priority";
  static final String ARGUMENTS = "vllm_xargs";

  private static final String REPORT = "kv_cache_report_mode";

  private EngineHints() {}

  /** Adds those that stand in the body; what a client has set itself stays. */
  static void add(ObjectNode body, Exchange exchange) {
    if (vllm(exchange) && exchange.sends(ARGUMENTS)) {
      ObjectNode arguments =
          body.get(ARGUMENTS) instanceof ObjectNode own ? own.deepCopy() : body.objectNode();
      if (!arguments.has(REPORT)) {
        body.set(ARGUMENTS, arguments.put(REPORT, "full"));
      }
    }
  }

  /** Adds those that stand in headers. */
  static void add(HttpRequest.Builder post, Exchange exchange) {
    if (!vllm(exchange)) {
      return;
    }
    if (exchange.sends(SESSION)) {
      post.header(SESSION, exchange.request().sessionName());
    }
    // Lower is earlier there, and 0 is the usual. A client's own word stands in the body.
    int priority = CallContext.USUAL - exchange.request().context().priority();
    boolean own = exchange.request().extraFields().containsKey("priority");
    if (priority != 0 && !own && exchange.sends(PRIORITY)) {
      post.header(PRIORITY, Integer.toString(priority));
    }
  }

  private static boolean vllm(Exchange exchange) {
    return exchange.dialect().name().equals("vllm")
        && exchange.dialect().protocol() == Dialect.Protocol.CHAT_COMPLETIONS;
  }
}
