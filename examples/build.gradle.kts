dependencies {
    api(project(":deploy:cli"))
    testImplementation(project(path = ":agent-runtime:api", configuration = "testJar"))
    testImplementation(project(path = ":agent-runtime:core", configuration = "testJar"))
    testImplementation(project(path = ":agent-runtime:journal", configuration = "testJar"))
    testImplementation(project(path = ":agent-runtime:client", configuration = "testJar"))
    testImplementation(project(path = ":agent-runtime:library", configuration = "testJar"))
    testImplementation(project(path = ":agent-runtime:node", configuration = "testJar"))
    testImplementation(project(path = ":agent-runtime:testkit", configuration = "testJar"))
}
