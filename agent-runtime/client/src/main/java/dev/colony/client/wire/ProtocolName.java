package dev.colony.client.wire;

import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.blackboard.protocol.RequestProtocol;
import dev.colony.blackboard.protocol.WorkAssignmentProtocol;
import java.util.Arrays;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** The protocols that a run can be asked for with over HTTP, by the names that they have there. */
enum ProtocolName {
  RUN("run", AgentRunProtocol.class, AgentRunProtocol::new),
  WORK("work", WorkAssignmentProtocol.class, WorkAssignmentProtocol::new);

  private final String word;
  private final Class<? extends RequestProtocol> type;
  private final Supplier<RequestProtocol> maker;

  ProtocolName(
      String word, Class<? extends RequestProtocol> type, Supplier<RequestProtocol> maker) {
    this.word = word;
    this.type = type;
    this.maker = maker;
  }

  String word() {
    return word;
  }

  RequestProtocol protocol() {
    return maker.get();
  }

  /**
   * @throws IllegalArgumentException if it has no name over HTTP
   */
  static ProtocolName of(RequestProtocol protocol) {
    return Arrays.stream(values())
        .filter(one -> one.type == protocol.getClass())
        .findAny()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "over HTTP a run is asked for with "
                    + Arrays.stream(values())
                        .map(one -> one.type.getSimpleName())
                        .collect(Collectors.joining(" or "))
                    + ", not with "
                    + protocol.getClass().getSimpleName()));
  }

  /**
   * @throws IllegalArgumentException if there is none of that name
   */
  static ProtocolName of(String word) {
    return Arrays.stream(values())
        .filter(one -> one.word.equals(word))
        .findAny()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "a protocol is "
                    + Arrays.stream(values())
                        .map(ProtocolName::word)
                        .collect(Collectors.joining(" or "))
                    + ", not: "
                    + word));
  }
}
