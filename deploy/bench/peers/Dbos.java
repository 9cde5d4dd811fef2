import com.zaxxer.hikari.HikariDataSource;
import dev.dbos.transact.DBOS;
import dev.dbos.transact.StartWorkflowOptions;
import dev.dbos.transact.config.DBOSConfig;
import dev.dbos.transact.database.SystemDatabase;
import dev.dbos.transact.workflow.Workflow;
import dev.dbos.transact.workflow.WorkflowHandle;
import java.util.ArrayList;
import java.util.List;

/** DBOS: an agent is a workflow, a step is a step of it. Its argument is the database's URL. */
public final class Dbos {

  public interface Agent {
    int run(int steps, int bytes);
  }

  public record Scripted(DBOS dbos) implements Agent {

    @Override
    @Workflow(name = "agent")
    public int run(int steps, int bytes) {
      int length = 0;
      for (int step = 0; step < steps; step++) {
        length += dbos.runStep(() -> Rounds.reply(bytes), "step").length();
      }
      return length;
    }
  }

  public static void main(String[] arguments) throws Exception {
    HikariDataSource pool = SystemDatabase.createDataSource(arguments[0], "postgres", "");
    pool.setMaximumPoolSize(Integer.getInteger("pool", 20));
    DBOS dbos = new DBOS(DBOSConfig.defaults("peer").withDataSource(pool));
    Agent agent = dbos.registerProxy(Agent.class, new Scripted(dbos));
    dbos.launch();
    Rounds.serve(
        (id, agents, steps, bytes) -> {
          List<WorkflowHandle<Integer, RuntimeException>> running = new ArrayList<>();
          for (int i = 0; i < agents; i++) {
            running.add(
                dbos.startWorkflow(
                    () -> agent.run(steps, bytes), new StartWorkflowOptions(id + "-" + i)));
          }
          for (WorkflowHandle<Integer, RuntimeException> one : running) {
            one.getResult();
          }
        },
        (id, agents, bytes) -> {
          try (var connection = pool.getConnection();
              var query =
                  connection.prepareStatement(
                      "SELECT count(*) FROM dbos.operation_outputs"
                          + " WHERE workflow_uuid LIKE ? AND length(output) >= ?")) {
            query.setString(1, id + "-%");
            query.setInt(2, bytes);
            var counted = query.executeQuery();
            counted.next();
            return counted.getLong(1);
          }
        });
    dbos.shutdown();
  }
}
