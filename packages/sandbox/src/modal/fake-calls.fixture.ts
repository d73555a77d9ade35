import type { ServerUnaryCall, sendUnaryData, UntypedServiceImplementation } from "@grpc/grpc-js";

export type Methods = UntypedServiceImplementation;

/** An answer that is an error, by gRPC's code. */
export function fault(code: number, details: string): Error {
  return Object.assign(new Error(details), { code, details });
}

/** A method that takes one message and gives one. */
export function unary<Request>(
  answer: (request: Request, call: ServerUnaryCall<Request, object>) => Promise<object> | object,
) {
  return (call: ServerUnaryCall<Request, object>, callback: sendUnaryData<object>) => {
    const answered = async () => answer(call.request, call);
    answered().then(
      (value) => callback(null, value),
      (error: Error) => callback(error),
    );
  };
}
