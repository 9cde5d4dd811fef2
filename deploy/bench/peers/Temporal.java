import io.temporal.activity.ActivityInterface;
import io.temporal.activity.ActivityOptions;
import io.temporal.api.enums.v1.EventType;
import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowOptions;
import io.temporal.client.WorkflowStub;
import io.temporal.testing.TestEnvironmentOptions;
import io.temporal.testing.TestWorkflowEnvironment;
import io.temporal.worker.Worker;
import io.temporal.worker.WorkerFactoryOptions;
import io.temporal.workflow.Workflow;
import io.temporal.workflow.WorkflowInterface;
import io.temporal.workflow.WorkflowMethod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Temporal's SDK with its test server: an agent is a workflow, a step is an activity. The server
 * keeps histories in the memory of this process: nothing is durable.
 */
public final class Temporal {

  private static final String QUEUE = "agents";

  @ActivityInterface
  public interface Model {
    String reply(int bytes);
  }

  @WorkflowInterface
  public interface Agent {
    @WorkflowMethod
    int run(int steps, int bytes);
  }

  public static final class Scripted implements Agent {

    private final Model model =
        Workflow.newActivityStub(
            Model.class,
            ActivityOptions.newBuilder().setStartToCloseTimeout(Duration.ofMinutes(1)).build());

    @Override
    public int run(int steps, int bytes) {
      int length = 0;
      for (int step = 0; step < steps; step++) {
        length += model.reply(bytes).length();
      }
      return length;
    }
  }

  public static void main(String[] arguments) throws Exception {
    try (TestWorkflowEnvironment server =
        TestWorkflowEnvironment.newInstance(
            TestEnvironmentOptions.newBuilder()
                .setUseTimeskipping(false)
                .setWorkerFactoryOptions(
                    WorkerFactoryOptions.newBuilder().setWorkflowCacheSize(2_000).build())
                .build())) {
      Worker worker = server.newWorker(QUEUE);
      worker.registerWorkflowImplementationTypes(Scripted.class);
      worker.registerActivitiesImplementations((Model) Rounds::reply);
      server.start();
      WorkflowClient client = server.getWorkflowClient();
      Rounds.serve(
          (id, agents, steps, bytes) -> {
            List<WorkflowStub> running = new ArrayList<>();
            for (int i = 0; i < agents; i++) {
              Agent agent =
                  client.newWorkflowStub(
                      Agent.class,
                      WorkflowOptions.newBuilder()
                          .setTaskQueue(QUEUE)
                          .setWorkflowId(id + "-" + i)
                          .build());
              WorkflowClient.start(agent::run, steps, bytes);
              running.add(WorkflowStub.fromTyped(agent));
            }
            running.forEach(one -> one.getResult(Integer.class));
          },
          (id, agents, bytes) -> {
            long stored = 0;
            for (int i = 0; i < agents; i++) {
              stored +=
                  client.fetchHistory(id + "-" + i).getEvents().stream()
                      .filter(event ->
                          event.getEventType() == EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED
                              && event.getSerializedSize() >= bytes)
                      .count();
            }
            return stored;
          });
    }
  }
}
