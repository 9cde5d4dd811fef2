package dev.colony.server.http;

import static dev.colony.server.http.ApiSources.join;

import dev.colony.blackboard.DeadLetter;
import dev.colony.blackboard.Scope;
import dev.colony.client.DeadLetters;
import dev.colony.server.access.Role;
import dev.colony.server.agents.AgentViews.DeadLetterPage;
import dev.colony.server.agents.AgentViews.DeadLetterView;
import dev.colony.server.http.Endpoint.Verb;
import java.util.List;
import java.util.Optional;

/** The dead letters of a tenant's agents. */
record InboxEndpoints(ApiSources sources, int mostOfPage) {

  private static final String LETTERS = "/v1/tenants/{tenant}/inbox/dead-letters";
  private static final String LETTER = LETTERS + "/{letter}";
  private static final int PAGE = 100;

  List<Endpoint> all() {
    return List.of(
        Endpoint.of(
            "listDeadLetters", Verb.GET, LETTERS, Role.VIEWER, this::list, "limit", "after"),
        Endpoint.of("getDeadLetter", Verb.GET, LETTER, Role.VIEWER, this::show),
        Endpoint.of("sendDeadLetter", Verb.POST, LETTER + "/send", Role.OPERATOR, this::send),
        Endpoint.of("dropDeadLetter", Verb.POST, LETTER + "/drop", Role.OPERATOR, this::drop));
  }

  private ApiResponse list(Call call) {
    int most = (int) call.number("limit", PAGE, 1, mostOfPage);
    DeadLetters.Page page =
        join(Call.checked(() -> letters().list(tenant(call), call.query("after"), most)));
    return ApiResponse.ok(DeadLetterPage.of(page));
  }

  private ApiResponse show(Call call) {
    return ApiResponse.ok(DeadLetterView.whole(letter(call)));
  }

  private ApiResponse send(Call call) {
    call.checkEmpty();
    join(letters().send(letter(call), call.principal().name()));
    return new ApiResponse.Stored();
  }

  private ApiResponse drop(Call call) {
    call.checkEmpty();
    DeadLetter letter = letter(call);
    join(letters().drop(letter));
    return ApiResponse.ok(DeadLetterView.of(letter));
  }

  private DeadLetter letter(Call call) {
    String name = call.path("letter");
    return join(Call.checked(() -> letters().find(tenant(call), name)))
        .orElseThrow(() -> Refusal.of(Code.NOT_FOUND, "there is no dead letter " + name));
  }

  private DeadLetters letters() {
    return new DeadLetters(sources.blackboards());
  }

  private static Optional<String> tenant(Call call) {
    return Optional.of(Call.checked(() -> Scope.tenant(call.path("tenant"))).tenant());
  }
}
