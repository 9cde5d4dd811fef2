package dev.colony.replica;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.replica.lexical.Tools.Call;
import java.util.List;

/**
 * One chat message of a prompt.
 *
 * @param calls the tool calls of an assistant message, in their order
 * @param callId of a tool message, the call whose result it holds; empty for other roles
 */
record Message(String role, String content, List<MadeCall> calls, String callId) {

  /** A call that the assistant has made. */
  record MadeCall(String id, Call call) {}

  Message {
    calls = List.copyOf(calls);
  }

  /** What the chat template puts between the message's markers. */
  String rendered() {
    if (calls.isEmpty()) {
      return content;
    }
    StringBuilder text = new StringBuilder(content);
    for (MadeCall made : calls) {
      if (!text.isEmpty()) {
        text.append('\n');
      }
      text.append(rendered(made.call()));
    }
    return text.toString();
  }

  /** A call as the model writes it. */
  static String rendered(Call call) {
    return beforeArguments(call.name()) + call.arguments() + AFTER_ARGUMENTS;
  }

  static final String AFTER_ARGUMENTS = "}\n</tool_call>";

  static String beforeArguments(String name) {
    return "<tool_call>\n{\"name\": " + quoted(name) + ", \"arguments\": ";
  }

  /** The system's words about the tools that are offered; empty where there are none. */
  static String offered(List<ObjectNode> tools) {
    if (tools.isEmpty()) {
      return "";
    }
    StringBuilder text =
        new StringBuilder("# Tools\n\nYou may call one or more functions.\n\n<tools>\n");
    tools.forEach(tool -> text.append(tool).append('\n'));
    return text.append("</tools>\n\nA call is written as <tool_call>{\"name\": <function-name>,")
        .append(" \"arguments\": <args-json-object>}</tool_call>.")
        .toString();
  }

  private static String quoted(String text) {
    return TextNode.valueOf(text).toString();
  }
}
