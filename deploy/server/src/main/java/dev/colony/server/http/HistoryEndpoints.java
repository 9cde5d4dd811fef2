package dev.colony.server.http;

import static dev.colony.server.http.ApiSources.join;

import dev.colony.agent.AgentId;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.AgentHandle.ForkReply;
import dev.colony.agent.client.HistoryPage;
import dev.colony.agent.client.HistoryPage.HistoryPosition;
import dev.colony.agent.client.HistoryPage.StateAt;
import dev.colony.client.http.RequestBody;
import dev.colony.client.http.WireJson;
import dev.colony.server.http.Endpoint.Handlers;
import java.util.Map;
import java.util.Optional;

/** The past of agents, and those that begin with it. */
record HistoryEndpoints(ApiSources sources, HttpSettings.Bounds bounds) {

  private static final int PAGE = 50;

  /** Entries that are read at once: what a page may hold beyond its bytes. */
  private static final int STRETCH = 8;

  void addTo(Handlers handlers) {
    handlers.on("getHistory", this::history);
    handlers.on("getPast", this::at);
    handlers.on("forkAgent", this::fork);
  }

  private ApiResponse history(Call call) {
    Optional<HistoryPosition> before = call.query("before").map(HistoryPosition::parse);
    int most = (int) call.number("limit", PAGE, 1, bounds.page());
    return ApiResponse.ok(page(handle(call), before, most));
  }

  /** Read bit by bit, since how large entries are is known only when they are there. */
  private HistoryPage page(AgentHandle agent, Optional<HistoryPosition> before, int most) {
    HistoryPage page = join(agent.history(before, Math.min(STRETCH, most)));
    long size = size(page);
    while (size < bounds.pageBytes() && page.entries().size() < most && page.older().isPresent()) {
      int more = Math.min(STRETCH, most - page.entries().size());
      HistoryPage older = join(agent.history(page.older(), more));
      page = page.joined(older);
      size += size(older);
    }
    return page;
  }

  /** As it is sent, about. */
  private static long size(HistoryPage page) {
    return WireJson.write(page).toString().length();
  }

  private ApiResponse at(Call call) {
    return ApiResponse.ok(join(handle(call).at(call.number("sequenceNr"))));
  }

  /** What becomes of it is an answer, also where there is no fork. */
  private ApiResponse fork(Call call) {
    RequestBody.Fork body = call.body(RequestBody.Fork.class);
    AgentId fork = call.agent(body.name());
    if (join(sources.colony().agent(fork).state()).isEmpty()
        && body.sequenceNr() > 0
        && join(handle(call).at(body.sequenceNr())) instanceof StateAt.Known known) {
      sources.trial().check("", fork, known.agent().blueprint());
    }
    ForkReply reply = join(handle(call).fork(body.sequenceNr(), body.name()));
    Map<String, String> headers =
        reply instanceof ForkReply.Forked forked
            ? Map.of("Location", AgentEndpoints.location(forked.agentId()))
            : Map.of();
    return new ApiResponse.Json(headers.isEmpty() ? 200 : 201, WireJson.write(reply), headers);
  }

  private AgentHandle handle(Call call) {
    return sources.colony().agent(call.agent());
  }
}
