package dev.colony.inference.provider;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Puts the tool calls of one reply together from their parts. By the protocols each part of a call
 * has the call's number, and the first part has its id and name. Servers number all calls 0, number
 * none, repeat id and name with each part, make a new id for each part, give one id to all calls,
 * or none to any. So a part goes by all that it has:
 *
 * <ul>
 *   <li>Another id or another name than that of the call in its place begins a call, and so does a
 *       name where the arguments of that call are whole JSON.
 *   <li>A part with neither goes on with the call in its place, or with the last one.
 * </ul>
 *
 * What comes behind arguments that are whole is added to them: who reads them finds that they are
 * no JSON. Not thread-safe.
 */
final class ToolCallAssembly {

  /** A tool call as far as it has come. */
  static final class Call {
    private final int index;
    private String given;
    private String id;
    private String name;
    private final StringBuilder arguments = new StringBuilder();

    /** All arguments, as told beside their parts; empty if they are not. */
    private String told = "";

    /** The delta that it was last part of. */
    private int delta;

    /** Whether its name has come once more behind its arguments. */
    private boolean again;

    private Call(int index, String given, String id, String name, int delta) {
      this.index = index;
      this.given = given;
      this.id = id;
      this.name = name;
      this.delta = delta;
    }

    /** Which of the reply's calls, from 0. */
    int index() {
      return index;
    }

    /** No other call of the reply has it; empty if the server gave none. */
    String id() {
      return id;
    }

    String name() {
      return name;
    }

    String arguments() {
      return arguments.toString();
    }

    void add(String more) {
      arguments.append(more);
    }

    /** Takes all arguments, for where parts of them are missing. */
    void tell(String all) {
      told = all;
    }

    /** What is missing of the arguments, by what was told of all of them. */
    String missing() {
      return !whole() && told.startsWith(arguments()) ? told.substring(arguments.length()) : "";
    }

    private boolean whole() {
      String text = arguments().strip();
      boolean closed = text.endsWith("}") || text.endsWith("]");
      return closed && JsonInText.whole(text).isPresent();
    }
  }

  private final List<Call> calls = new ArrayList<>();
  private final Map<String, Call> places = new HashMap<>();
  private int delta;

  /** What comes next belongs to another message of the server. */
  void nextDelta() {
    delta++;
  }

  /** Those that have come so far, in their order. */
  List<Call> calls() {
    return calls.stream()
        .filter(call -> !call.name.isEmpty() || !call.arguments.toString().isBlank())
        .toList();
  }

  /** How many characters their arguments have. */
  long characters() {
    return calls.stream().mapToLong(call -> call.arguments.length()).sum();
  }

  /** The call in a place. */
  Optional<Call> at(String place) {
    return place.isEmpty() ? Optional.empty() : Optional.ofNullable(places.get(place));
  }

  /** Gives a call one more place. */
  void place(String place, Call call) {
    places.put(place, call);
  }

  /** The call of an id, as the server gave it: the last of several. */
  Optional<Call> of(String given) {
    return given.isEmpty()
        ? Optional.empty()
        : calls.reversed().stream().filter(call -> call.given.equals(given)).findFirst();
  }

  /**
   * Begins a call.
   *
   * @param place by which parts of it come; empty for none
   * @param given its id by the server; empty for none
   */
  Call begin(String place, String given, String name) {
    Call call = new Call(calls.size(), given, distinct(given), name, delta);
    calls.add(call);
    places.put(place, call);
    return call;
  }

  private String distinct(String given) {
    String id = given;
    for (int n = 2; !id.isEmpty() && taken(id); n++) {
      id = given + "-" + n;
    }
    return id;
  }

  private boolean taken(String id) {
    return calls.stream().anyMatch(call -> call.id.equals(id));
  }

  /**
   * The call that a part belongs to, begun if it is the first of one.
   *
   * @param place empty for none
   * @param given the call's id; empty for none
   * @param name empty for none
   * @return empty if the part says nothing that has not come before
   */
  Optional<Call> part(String place, String given, String name, String arguments) {
    Call last = calls.isEmpty() ? null : calls.getLast();
    Call there = place.isEmpty() ? last : places.get(place);
    Optional<Call> own = of(given);
    if (there == null) {
      Call on = own.orElse(last);
      boolean goesOn =
          on != null
              && (name.isEmpty()
                  || own.isPresent() && on.name.equals(name) && on == last && begun(on));
      return Optional.of(goesOn ? more(on, given, name) : begin(place, given, name));
    }
    if (!given.isEmpty() && !there.given.isEmpty() && !there.given.equals(given)) {
      if (own.isPresent() && !(own.get().whole() && !name.isEmpty())) {
        return Optional.of(more(own.get(), given, name));
      }
      // Some servers make a new id for each part: only the first of a call has a name.
      boolean begins = !name.isEmpty() || there.whole() && !arguments.isBlank();
      return Optional.of(begins ? begin(place, given, name) : more(there, given, name));
    }
    if (name.isEmpty()) {
      boolean begins = there.again && !arguments.isBlank();
      return Optional.of(begins ? begin(place, there.given, there.name) : more(there, given, name));
    }
    boolean other = !there.name.isEmpty() && !there.name.equals(name);
    boolean beside = there.delta == delta && !there.name.isEmpty();
    if (other || beside) {
      return Optional.of(begin(place, given, name));
    }
    if (there.whole()) {
      boolean same = !given.isEmpty() && arguments.equals(there.arguments());
      there.again = arguments.isBlank();
      return same || there.again ? Optional.empty() : Optional.of(begin(place, given, name));
    }
    return Optional.of(more(there, given, name));
  }

  /** Whether some of its arguments have come, and not all. */
  private static boolean begun(Call call) {
    return !call.arguments.isEmpty() && !call.whole();
  }

  private Call more(Call call, String given, String name) {
    call.delta = delta;
    if (call.given.isEmpty() && !given.isEmpty()) {
      call.id = distinct(given);
      call.given = given;
    }
    call.name = call.name.isEmpty() ? name : call.name;
    return call;
  }
}
